import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// What a caller wants to be told.
struct EventStreamOptions: Sendable {
    let name: String
    let start: EventStart
    let apps: [AppID]
    let kinds: [Event.Kind]
}

/// One subscription of events over as many connections as it takes (Protocol 8a): how far it has got, what waits to be
/// consumed, what the server may send and what is acknowledged. At most `window` elements are in memory, and a few that
/// it tells of its own accord.
///
/// Confined to its event loop.
final class EventConsumer {
    /// Somebody who waits for the next elements; nothing = the end.
    typealias Waiter = CheckedContinuation<Result<[EventStreamElement]?, CarillonError>, Never>

    private enum Stage {
        /// No connection has it; not to be subscribed before that uptime.
        case away(notBefore: UInt64)
        /// SUBSCRIBE_EVENTS of that id awaits its answer.
        case subscribing(ClientConnection, UInt64)
        /// SUBSCRIBE_EVENTS of that id was answered.
        case subscribed(ClientConnection, UInt64)
        /// Final; the error, if it is one.
        case ended(CarillonError?)
    }

    /// What an EVENT_CREDIT on its way says.
    private struct Telling {
        var request: UInt64
        var credit: UInt64
        var acknowledged: UInt64
    }

    /// Elements in memory, in the feed or in the consumers' hands.
    static let window = 1_024
    /// Elements given out at a time: few enough for the server to send on while they are consumed.
    private static let batch = window / 4

    private let order: EventStreamOptions
    private let timeout: UInt64
    private let backoff: Backoff
    private let eventLoop: any EventLoop
    private let retry: RestartableTimer
    private var generator = SystemRandomNumberGenerator()
    private var stage = Stage.away(notBefore: 0)
    private var failures = 0

    /// The history that numbers belong to, once a server has said it.
    private var epoch: UUIDBytes?
    /// Everything up to this number has been received; nothing before the server has said where it begins.
    private var position: UInt64?
    private var waiting = CircularBuffer<EventStreamElement>()
    private var handedOut = 0
    private var waiters = CircularBuffer<Waiter>()

    /// On this connection: event frames that have come, and how many the server knows it may send.
    private var received: UInt64 = 0
    private var credit: UInt64 = 0
    private var telling: Telling?

    private var acknowledged: UInt64 = 0
    /// Up to which number the server has said that it is durable.
    private var durable: UInt64 = 0
    private var flushes:
        [UInt64: (upTo: UInt64, continuation: CheckedContinuation<Result<Void, CarillonError>, Never>)] =
            [:]

    /// Who waits for the first answer.
    var opening: CheckedContinuation<Result<Void, CarillonError>, Never>?
    /// Called when the feed may have something to send.
    var wantsTurn: () -> Void = {}
    /// Called once, at the end.
    var hasEnded: () -> Void = {}

    init(_ order: EventStreamOptions, _ configuration: CarillonClient.Configuration, _ eventLoop: any EventLoop) {
        self.order = order
        self.eventLoop = eventLoop
        timeout = configuration.requestTimeout.milliseconds
        backoff = Backoff(configuration)
        retry = RestartableTimer(eventLoop)
        if case .after(let sequence) = order.start { position = sequence }
    }

    /// Whether it waits for a connection.
    var wantsConnection: Bool {
        if case .away(let notBefore) = stage { hasRoom && RestartableTimer.now >= notBefore } else { false }
    }

    /// Whether the server has agreed to it at least once.
    var isOpen: Bool { opening == nil }

    private var occupied: Int { waiting.count + handedOut }
    private var hasRoom: Bool { occupied < Self.window }

    // MARK: Orders of consumers

    /// Begins to live; the first answer must come within the time of a call.
    func begin() {
        retry.action = { [weak self] in self?.wantsTurn() }
        if case .ended = stage { return settleOpening(.failure(.taskCancelled)) }
        after(timeout) { feed in
            guard feed.opening != nil else { return }
            feed.end(CarillonError(.timeout, retryAfter: .zero, message: "the subscription was not made in time"))
        }
    }

    /// Gives `waiter` what comes next, as soon as there is something; `consumed` elements are needed no longer.
    func take(afterConsuming consumed: Int, _ waiter: Waiter) {
        handedOut -= min(consumed, handedOut)
        waiters.append(waiter)
        giveOut()
        wantsTurn()
    }

    /// Events up to that number are done with; never more than were received.
    func acknowledge(upTo sequence: UInt64) {
        let next = min(sequence, position ?? 0)
        guard !order.name.isEmpty, next > acknowledged else { return }
        acknowledged = next
        wantsTurn()
    }

    /// Resumes the continuation when everything acknowledged is durable.
    func flush(_ id: UInt64, _ continuation: CheckedContinuation<Result<Void, CarillonError>, Never>) {
        guard acknowledged > durable else { return continuation.resume(returning: .success(())) }
        if case .ended(let error) = stage {
            return continuation.resume(returning: .failure(error ?? Self.over))
        }
        flushes[id] = (acknowledged, continuation)
        after(timeout) { feed in
            feed.abandonFlush(
                id, CarillonError(.timeout, effect: .unknown, retryAfter: .zero, message: "no answer in time"))
        }
    }

    /// Nobody waits any more, or not longer.
    func abandonFlush(_ id: UInt64, _ error: CarillonError) {
        flushes.removeValue(forKey: id)?.continuation.resume(returning: .failure(error))
    }

    /// Ends the feed; what is acknowledged is still told, if there is a connection.
    func end(_ error: CarillonError?) {
        if case .ended = stage { return }
        if case .subscribed(let link, let id) = stage, acknowledged > max(durable, telling?.acknowledged ?? 0) {
            let last = EventCredit(subscription: id, credit: credit, acknowledged: acknowledged)
            _ = link.submit(.eventCredit(last), feed: nil, deadline: RestartableTimer.now + timeout)
        }
        detach()
        stage = .ended(error)
        retry.cancel()
        settleOpening(.failure(error ?? Self.over))
        for id in Array(flushes.keys) { abandonFlush(id, error ?? Self.over) }
        giveOut()
        hasEnded()
    }

    private static let over = CarillonError(.closed, effect: .unknown, message: "the stream of events has ended")

    private func settleOpening(_ result: Result<Void, CarillonError>) {
        opening?.resume(returning: result)
        opening = nil
    }

    private func after(_ milliseconds: UInt64, _ body: @escaping (EventConsumer) -> Void) {
        eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(clamping: milliseconds))) { [weak self] in
            if let self { body(self) }
        }
    }

    // MARK: The connection

    /// Sends what there is to send, if `link` is there and has room.
    func advance(_ link: ClientConnection?) {
        switch stage {
        case .away(let notBefore):
            guard let link, link.isOpen, link.hasRoom, hasRoom, RestartableTimer.now >= notBefore else { return }
            subscribe(on: link)
        case .subscribed(let link, let id):
            if telling == nil, link.hasRoom { tell(link, id) }
        case .subscribing, .ended:
            break
        }
    }

    private func subscribe(on link: ClientConnection) {
        guard let welcome = link.welcome else { return }
        if let epoch, epoch != welcome.epoch { historyChanged() }
        epoch = welcome.epoch
        (received, telling) = (0, nil)
        credit = UInt64(Self.window - occupied)
        let subscription = EventSubscription(
            name: order.name, from: from, apps: order.apps, kinds: order.kinds, credit: credit)
        switch link.submit(.subscribeEvents(subscription), feed: self, deadline: RestartableTimer.now + timeout) {
        case .sent(id: let id):
            stage = .subscribing(link, id)
            link.subscribers[id] = self
        case .refused(let reply): end(CarillonError(reply))
        case .wait, .elsewhere: break
        }
    }

    /// `from` of SUBSCRIBE_EVENTS, where 0 does not mean "after none".
    private var from: UInt64 {
        if let position { return position == 0 ? EventSubscription.oldest : position }
        return order.start == .now || order.name.isEmpty ? EventSubscription.now : 0
    }

    private func historyChanged() {
        (position, acknowledged, durable) = (nil, 0, 0)
        for id in Array(flushes.keys) { abandonFlush(id, Self.over) }
        if waiting.last != .newHistory { waiting.append(.newHistory) }
        giveOut()
    }

    /// Tells the server what was acknowledged, and what more it may send once that is half of the window.
    private func tell(_ link: ClientConnection, _ id: UInt64) {
        let room = received + UInt64(max(Self.window - occupied, 0))
        let isCreditDue = room >= credit + UInt64(Self.window / 2)
        guard isCreditDue || acknowledged > durable else { return }
        let next = EventCredit(
            subscription: id, credit: max(room, credit), acknowledged: acknowledged > durable ? acknowledged : 0)
        guard
            case .sent(id: let request) = link.submit(
                .eventCredit(next), feed: self, deadline: RestartableTimer.now + timeout)
        else { return }
        telling = Telling(request: request, credit: next.credit, acknowledged: next.acknowledged)
    }

    /// A request of the feed was answered.
    func answered(_ response: Response, _ request: UInt64) {
        failures = 0
        switch (response, stage) {
        case (.eventsSubscribed(let after), .subscribing(let link, let id)) where request == id:
            stage = .subscribed(link, id)
            begins(after: after)
        case (.eventsCredited, _) where telling?.request == request:
            credit = max(credit, telling?.credit ?? 0)
            durable = max(durable, telling?.acknowledged ?? 0)
            telling = nil
            for (id, flush) in flushes where flush.upTo <= durable {
                flushes[id] = nil
                flush.continuation.resume(returning: .success(()))
            }
            wantsTurn()
        default: break
        }
    }

    private func begins(after sequence: UInt64) {
        if let position, position < sequence, sequence < .max {
            waiting.append(.gap(position + 1..<sequence + 1))
            giveOut()
        }
        position = max(position ?? 0, sequence)
        settleOpening(.success(()))
        wantsTurn()
    }

    /// An event frame has come.
    func received(_ notice: EventNotice) {
        received += 1
        let before = position ?? 0
        // What was told before the connection was lost may be told again.
        if notice.sequence > before {
            position = notice.sequence
            switch notice {
            case .event(let event): waiting.append(.event(event))
            case .gap(let missed, _): waiting.append(.gap(max(missed.lowerBound, before + 1)..<missed.upperBound))
            }
            giveOut()
        }
    }

    private func giveOut() {
        while !waiters.isEmpty, !waiting.isEmpty {
            let batch = Array(waiting.prefix(Self.batch))
            waiting.removeFirst(batch.count)
            handedOut += batch.count
            waiters.removeFirst().resume(returning: .success(batch))
        }
        guard case .ended(let error) = stage else { return }
        while let waiter = waiters.popFirst() {
            waiter.resume(returning: error.map { .failure($0) } ?? .success(nil))
        }
    }

    /// A request of the feed was refused, or not answered in time.
    func failed(_ error: CarillonError, _ request: UInt64) {
        switch stage {
        case .subscribing(_, let id) where id == request: break
        case .subscribed where telling?.request == request: break
        default: return
        }
        let isUnknown = error.code == .server(.notFound) && telling != nil
        guard let pause = error.retryAfter ?? (isUnknown ? .zero : nil) else { return end(error) }
        failures += 1
        detach()
        let notBefore =
            RestartableTimer.now + max(pause.milliseconds, backoff.pause(failures: failures, using: &generator))
        stage = .away(notBefore: notBefore)
        retry.arm(at: notBefore)
    }

    /// The connection takes no more requests, or is gone.
    func lost(_ link: ClientConnection) {
        switch stage {
        case .subscribing(let mine, _), .subscribed(let mine, _):
            guard mine === link else { return }
            detach()
            stage = .away(notBefore: 0)
        case .away, .ended: break
        }
    }

    private func detach() {
        telling = nil
        switch stage {
        case .subscribing(let link, let id):
            link.subscribers[id] = nil
            link.abandon(request: id)
        case .subscribed(let link, let id):
            link.subscribers[id] = nil
            link.unsubscribe(id)
        case .away, .ended: break
        }
    }
}
