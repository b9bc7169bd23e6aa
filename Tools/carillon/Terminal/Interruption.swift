import Dispatch
import Foundation
import Synchronization

/// The state of SIGINT (Control-C) and SIGTERM: the first asks the command to end, the second ends the process.
final class Interruption {
    private final class Flag: Sendable {
        let value = Atomic(false)
    }

    private let flag = Flag()
    private var sources: [any DispatchSourceSignal] = []

    /// True if a signal has come.
    var hasCome: Bool { flag.value.load(ordering: .relaxed) }

    init() {
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [flag] in
                flag.value.store(true, ordering: .relaxed)
                signal(number, SIG_DFL)
            }
            source.resume()
            sources.append(source)
        }
    }

    deinit {
        for source in sources { source.cancel() }
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    }
}
