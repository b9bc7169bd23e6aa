import NIOCore
import NIOPosix
import Synchronization

/// A state that a test waits on: a change wakes the waiters whose condition has become true.
package final class Watched<State: Sendable>: Sendable {
    private struct Contents {
        var state: State
        var waiters: [Waiter] = []
    }

    private struct Waiter {
        var isDone: @Sendable (State) -> Bool
        var promise: EventLoopPromise<State>
    }

    /// The error of a condition that did not become true in time.
    package struct TooLate: Error, CustomStringConvertible {
        package var description: String
    }

    private let contents: Mutex<Contents>

    package init(_ state: State) { contents = Mutex(Contents(state: state)) }

    package var now: State { contents.withLock { $0.state } }

    /// Changes the state and wakes the waiters whose condition holds.
    @discardableResult
    package func change<R: Sendable>(_ body: (inout State) -> R) -> R {
        let (result, state, woken) = contents.withLock { contents in
            let result = body(&contents.state)
            let state = contents.state
            var woken: [Waiter] = []
            // Each condition is asked once: one that reads more than the state may change its answer.
            contents.waiters.removeAll { waiter in
                guard waiter.isDone(state) else { return false }
                woken.append(waiter)
                return true
            }
            return (result, state, woken)
        }
        for waiter in woken { waiter.promise.succeed(state) }
        return result
    }

    /// Returns the state as soon as `condition` holds. Throws `TooLate` after ten minutes, because a busy machine is
    /// slow.
    @discardableResult
    package func wait(until what: String, _ condition: @escaping @Sendable (State) -> Bool) async throws -> State {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: State.self)
        let deadline = loop.scheduleTask(in: .minutes(10)) { [self] in
            promise.fail(TooLate(description: "not within ten minutes: \(what); \(now)"))
        }
        contents.withLock { $0.waiters.append(Waiter(isDone: condition, promise: promise)) }
        change { _ in }
        defer { deadline.cancel() }
        return try await promise.futureResult.get()
    }
}
