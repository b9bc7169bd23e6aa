import NIOCore
import Synchronization

/// The sessions of one event loop that tell events: they hear of new ones together, and take turns in reading them.
///
/// One page is read at a time, and the next one a little later. So between two pages the loop is back at its sockets, whatever
/// many subscriptions have to catch up, and the thread that reads for all loops has no more than a page of each to read
/// before what others ask.
///
/// Confined to its event loop.
final class EventReadScheduler {
    /// Has a page read and told, and calls `done`, on the loop, exactly once.
    typealias Turn = (_ done: @escaping () -> Void) -> Void

    /// Rung by the thread that has written events; the loop is told once, however often it is rung before it comes to it.
    private final class Bell: Sendable {
        let isRung = Atomic<Bool>(false)
    }

    /// From one turn to the next. A loop runs what it was given until nothing is left: if the thread that reads is quick, or takes
    /// the loop's core, pages that follow each other without a pause keep it from its sockets.
    private static let pause = TimeAmount.microseconds(200)

    private let hub: EventHub
    private let loop: any EventLoop
    private var sessions: [ObjectIdentifier: () -> Void] = [:]
    private var listening: Int?
    private var turns = CircularBuffer<Turn>()
    /// A turn is under way, or has just ended.
    private var isBusy = false

    init(_ hub: EventHub, _ loop: any EventLoop) {
        self.hub = hub
        self.loop = loop
    }

    /// Calls `tell` whenever there are new events, until `remove`.
    func add(_ session: SessionHandler, _ tell: @escaping () -> Void) {
        sessions[ObjectIdentifier(session)] = tell
        guard listening == nil else { return }
        let (bell, loop) = (Bell(), loop)
        let bound = NIOLoopBound(self, eventLoop: loop)
        listening = hub.add {
            guard !bell.isRung.exchange(true, ordering: .acquiringAndReleasing) else { return }
            loop.execute {
                bell.isRung.store(false, ordering: .sequentiallyConsistent)
                for tell in Array(bound.value.sessions.values) { tell() }
            }
        }
    }

    /// Ends what `add` began.
    func remove(_ session: SessionHandler) {
        sessions[ObjectIdentifier(session)] = nil
        guard sessions.isEmpty, let listening else { return }
        hub.remove(listening)
        self.listening = nil
    }

    /// Takes a turn when those that were asked for before are over.
    func take(_ turn: @escaping Turn) {
        turns.append(turn)
        advance()
    }

    private func advance() {
        guard !isBusy, let turn = turns.popFirst() else { return }
        isBusy = true
        turn { [self] in
            loop.assumeIsolated().scheduleTask(in: Self.pause) { [self] in
                isBusy = false
                advance()
            }
        }
    }
}
