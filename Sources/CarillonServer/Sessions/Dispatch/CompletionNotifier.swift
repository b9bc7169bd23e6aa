import NIOCore
import Synchronization

/// The wake-ups of event loops when other threads have left completions for their connections.
///
/// A loop is woken once for many completions, after all of them are there. Otherwise it would wake for the first, and a
/// connection would send its answers in several pieces.
final class CompletionNotifier: Sendable {
    private typealias Call = (loop: any EventLoop, body: @Sendable () -> Void)

    private struct State {
        var isCollecting = false
        var calls: [Call] = []
    }

    private let state = Mutex(State())

    /// Runs `body` on `loop`: soon, or at the end of the `collect` that is under way.
    func wake(_ loop: any EventLoop, _ body: @escaping @Sendable () -> Void) {
        let isCollecting = state.withLock { state in
            if state.isCollecting { state.calls.append((loop, body)) }
            return state.isCollecting
        }
        if !isCollecting { loop.execute(body) }
    }

    /// Calls `body`, and then makes the calls that came meanwhile. Only one thread may call this.
    func collect(during body: () -> Void) {
        state.withLock { $0.isCollecting = true }
        body()
        let calls = state.withLock { state in
            defer { state = State() }
            return state.calls
        }
        for calls in Dictionary(grouping: calls, by: { ObjectIdentifier($0.loop) }).values {
            calls[0].loop.execute { for call in calls { call.body() } }
        }
    }
}
