import NIOCore
import Synchronization

/// Tells the event loops that there are new events. The sessions read the events from the registry.
final class EventHub: Sendable {
    private struct State {
        var newestSequence: UInt64 = 0
        var observers: [Int: @Sendable () -> Void] = [:]
        var lastObserverID = 0
    }

    private let state = Mutex(State())
    private let schedulers = PerLoop<EventReadScheduler>()

    /// The number of the newest event that was published; 0 if there are no events.
    var newestSequence: UInt64 { state.withLock { $0.newestSequence } }

    /// Tells the observers that there are events up to this number.
    func eventsPublished(upTo sequence: UInt64) {
        let observers = state.withLock { state in
            state.newestSequence = max(state.newestSequence, sequence)
            return Array(state.observers.values)
        }
        for observer in observers { observer() }
    }

    /// Calls `observer` on any thread whenever there are new events, until `removeObserver`.
    ///
    /// - Returns: the argument of `removeObserver`.
    func addObserver(_ observer: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.lastObserverID += 1
            state.observers[state.lastObserverID] = observer
            return state.lastObserverID
        }
    }

    /// Ends the calls that `addObserver` began.
    func removeObserver(_ id: Int) {
        state.withLock { $0.observers[id] = nil }
    }

    /// Returns the read scheduler of an event loop. Called on that loop.
    func scheduler(on loop: any EventLoop) -> EventReadScheduler {
        schedulers.value(on: loop) { EventReadScheduler(self, on: $0) }
    }
}
