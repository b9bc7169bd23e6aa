import NIOCore
import Synchronization

/// Schedules the reads of events for the sessions of one event loop, one after the other. It also tells the sessions
/// together that there are new events.
///
/// One page is read at a time, and the next one a little later. So the loop serves its sockets between two pages,
/// however many subscriptions catch up. One thread reads the events of all loops: a loop waits for at most one page of
/// each other loop.
///
/// Confined to its event loop.
final class EventReadScheduler {
    /// Reads a page and sends its events, then calls `done` on the loop, exactly once. Returns false, and never calls
    /// `done`, if there is nothing left to read.
    typealias ReadOperation = (_ done: @escaping () -> Void) -> Bool

    /// A mark that the loop was woken for new events and has not run yet. So it is woken once, however many events are
    /// published.
    private final class Wakeup: Sendable {
        let isPending = Atomic<Bool>(false)
    }

    /// The time between two pages. A loop runs its tasks until none is left, before it looks at its sockets. Without
    /// that time, a reading thread that is fast, or that takes the loop's core, could always give it another task.
    static let interval = TimeAmount.microseconds(200)

    private let hub: EventHub
    private let loop: any EventLoop
    private var observers: [ObjectIdentifier: () -> Void] = [:]
    /// The number of this scheduler's observer at the hub; nil if none is registered.
    private var hubObserverID: Int?
    private var reads = CircularBuffer<ReadOperation>()
    /// True during a read and the interval after it.
    private var isBusy = false

    init(_ hub: EventHub, on loop: any EventLoop) {
        self.hub = hub
        self.loop = loop
    }

    /// Calls `onEvents` on the loop whenever there are new events, until `remove`.
    func add(_ sender: EventSender, onEvents: @escaping () -> Void) {
        observers[ObjectIdentifier(sender)] = onEvents
        guard hubObserverID == nil else { return }
        let wakeup = Wakeup()
        let loop = loop
        let bound = NIOLoopBound(self, eventLoop: loop)
        hubObserverID = hub.addObserver {
            guard !wakeup.isPending.exchange(true, ordering: .acquiringAndReleasing) else { return }
            loop.execute {
                wakeup.isPending.store(false, ordering: .sequentiallyConsistent)
                for onEvents in Array(bound.value.observers.values) { onEvents() }
            }
        }
    }

    /// Ends the calls that `add` began.
    func remove(_ sender: EventSender) {
        observers[ObjectIdentifier(sender)] = nil
        guard observers.isEmpty, let hubObserverID else { return }
        hub.removeObserver(hubObserverID)
        self.hubObserverID = nil
    }

    /// Runs `read` when the reads that were scheduled before are over.
    func schedule(_ read: @escaping ReadOperation) {
        reads.append(read)
        startNext()
    }

    private func startNext() {
        // After a read that finds nothing, the next one begins at once. So a client that ends subscriptions as fast as
        // it makes them delays no other client.
        while !isBusy, let read = reads.popFirst() {
            isBusy = read { [self] in
                loop.assumeIsolated().scheduleTask(in: Self.interval) { [self] in
                    isBusy = false
                    startNext()
                }
            }
        }
    }
}
