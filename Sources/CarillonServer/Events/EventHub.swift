import NIOCore
import Synchronization

/// Lets sessions know that there are new events; they read them from the registry themselves.
final class EventHub: Sendable {
    private struct State {
        var newest: UInt64 = 0
        var listeners: [Int: @Sendable () -> Void] = [:]
        var next = 0
    }

    private let state = Mutex(State())
    private let turns = Mutex<[ObjectIdentifier: NIOLoopBound<EventReadScheduler>]>([:])

    /// The number of the newest event, as far as is known.
    var newest: UInt64 { state.withLock { $0.newest } }

    /// There are events up to that number.
    func published(_ newest: UInt64) {
        let listeners = state.withLock { state in
            state.newest = max(state.newest, newest)
            return Array(state.listeners.values)
        }
        for listener in listeners { listener() }
    }

    /// Calls `listener` whenever there are new events, on any thread, until `remove`.
    func add(_ listener: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.next += 1
            state.listeners[state.next] = listener
            return state.next
        }
    }

    /// The turns of a loop, on which this is called.
    func turns(on loop: any EventLoop) -> EventReadScheduler {
        let bound = turns.withLock { turns in
            let key = ObjectIdentifier(loop)
            if let known = turns[key] { return known }
            let new = NIOLoopBound(EventReadScheduler(self, loop), eventLoop: loop)
            turns[key] = new
            return new
        }
        return bound.value
    }

    /// Ends what `add` began.
    func remove(_ listener: Int) {
        state.withLock { $0.listeners[listener] = nil }
    }
}
