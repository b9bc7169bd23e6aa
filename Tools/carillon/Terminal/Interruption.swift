import Dispatch
import Foundation
import Synchronization

/// The state of SIGINT (Control-C) and SIGTERM: the first asks the command to end, the second ends the process.
final class Interruption {
    /// The flag, for tasks that only ask whether a signal has come.
    final class Flag: Sendable {
        fileprivate let value = Atomic(false)

        /// True if a signal has come.
        var isSet: Bool { value.load(ordering: .relaxed) }
    }

    let flag = Flag()
    private var sources: [any DispatchSourceSignal] = []

    /// True if a signal has come.
    var hasCome: Bool { flag.isSet }

    /// How often a wait looks at the flag.
    private static let interval = Duration.milliseconds(50)

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

    /// Sleeps, or returns earlier if a signal comes.
    func sleep(for duration: Duration) async throws {
        let end = ContinuousClock.now + duration
        while !hasCome, ContinuousClock.now < end {
            try await Task.sleep(for: min(Self.interval, ContinuousClock.now.duration(to: end)))
        }
    }

    /// The result of `body`, or nil if a signal comes earlier; `body` is cancelled then.
    func unlessInterrupted<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result? {
        defer { withExtendedLifetime(self) {} }
        return try await withThrowingTaskGroup(of: Result?.self) { [flag] group in
            group.addTask { try await body() }
            group.addTask {
                while !flag.isSet { try await Task.sleep(for: Self.interval) }
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    deinit {
        for source in sources { source.cancel() }
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    }
}
