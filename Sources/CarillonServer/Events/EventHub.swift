import NIOCore
import Synchronization

/// The notices to event loops that there are new events. The sessions read the events from the registry.
final class EventHub: Sendable {
    private struct State {
        var newest: UInt64 = 0
        var observers: [Int: @Sendable () -> Void] = [:]
        var lastObserver = 0
    }

    private let state = Mutex(State())
    private let schedulers = PerLoop<EventReadScheduler>()

    /// The number of the newest event, as far as is known; 0 if there are no events.
    var newest: UInt64 { state.withLock { $0.newest } }

    /// Tells the observers that there are events up to this number.
    func eventsPublished(upTo newest: UInt64) {
        let observers = state.withLock { state in
            state.newest = max(state.newest, newest)
            return Array(state.observers.values)
        }
        for observer in observers { observer() }
    }

    /// Calls `observer` on any thread whenever there are new events, until `removeObserver`.
    ///
    /// - Returns: the argument of `removeObserver`.
    func addObserver(_ observer: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = observer
            return state.lastObserver
        }
    }

    /// Ends the calls that `addObserver` began.
    func removeObserver(_ observer: Int) {
        state.withLock { $0.observers[observer] = nil }
    }

    /// Returns the read scheduler of an event loop. Called on that loop.
    func scheduler(on loop: any EventLoop) -> EventReadScheduler {
        schedulers.value(on: loop) { EventReadScheduler(self, on: $0) }
    }
}
