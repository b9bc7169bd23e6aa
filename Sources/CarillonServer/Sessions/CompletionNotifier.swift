import NIOCore
import Synchronization

/// Tells event loops of answers that other threads have left for their connections.
///
/// The answers to all changes of a commit are there before a loop is told of any, and it is told once: otherwise it would wake
/// for the first of them, and a connection would send its answers in several pieces.
final class CompletionNotifier: Sendable {
    private typealias Call = (loop: any EventLoop, body: @Sendable () -> Void)

    private struct State {
        var isHeld = false
        var calls: [Call] = []
    }

    private let state = Mutex(State())

    /// Runs `body` on `loop`: soon, or when the work of `hold` that goes on now has ended.
    func call(_ loop: any EventLoop, _ body: @escaping @Sendable () -> Void) {
        let isHeld = state.withLock { state in
            if state.isHeld { state.calls.append((loop, body)) }
            return state.isHeld
        }
        if !isHeld { loop.execute(body) }
    }

    /// Does `work`, and then makes the calls that came meanwhile. For one thread alone.
    func hold(_ work: () -> Void) {
        state.withLock { $0.isHeld = true }
        work()
        let calls = state.withLock { state in
            defer { state = State() }
            return state.calls
        }
        for calls in Dictionary(grouping: calls, by: { ObjectIdentifier($0.loop) }).values {
            calls[0].loop.execute { for call in calls { call.body() } }
        }
    }
}
