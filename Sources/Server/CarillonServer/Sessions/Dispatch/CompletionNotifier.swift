import NIOCore
import Synchronization

/// Wakes event loops when other threads have left completions for their connections.
///
/// A loop is woken once for many completions, when all have come. Otherwise it would wake for the first, and a
/// connection would send its answers in several pieces.
final class CompletionNotifier: Sendable {
    private typealias Wakeup = (loop: any EventLoop, body: @Sendable () -> Void)

    private struct State {
        var isCollecting = false
        var wakeups: [Wakeup] = []
    }

    private let state = Mutex(State())

    /// Runs `body` on `loop`: soon, or at the end of the `collect` that is running.
    func wake(_ loop: any EventLoop, _ body: @escaping @Sendable () -> Void) {
        let isCollecting = state.withLock { state in
            if state.isCollecting { state.wakeups.append((loop, body)) }
            return state.isCollecting
        }
        if !isCollecting { loop.execute(body) }
    }

    /// Calls `body`, and then wakes the loops for which `wake` was called during it. Only one thread may call this.
    func collect(during body: () -> Void) {
        state.withLock { $0.isCollecting = true }
        body()
        let wakeups = state.withLock { state in
            defer { state = State() }
            return state.wakeups
        }
        for wakeups in Dictionary(grouping: wakeups, by: { ObjectIdentifier($0.loop) }).values {
            wakeups[0].loop.execute { for wakeup in wakeups { wakeup.body() } }
        }
    }
}
