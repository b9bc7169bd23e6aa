import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// The subscription that a caller asks for.
struct EventStreamOptions: Sendable {
    let name: String
    let start: EventStart
    let apps: [AppID]
    let kinds: [Event.Kind]
}

/// One subscription of events over any number of connections (Protocol 8a): its position, the elements that wait to be
/// consumed, the credit of the server and the acknowledgements. At most `window` elements from the server are in
/// memory, and a few gaps that the client adds itself.
///
/// Confined to its event loop.
final class EventConsumer {
    /// A consumer that waits for the next elements; nil is the end.
    typealias Waiter = CheckedContinuation<Result<[EventStreamElement]?, CarillonError>, Never>

    private enum State {
        /// On no connection; it is subscribed again at that time at the earliest.
        case disconnected(notBefore: Uptime)
        /// SUBSCRIBE_EVENTS of that id awaits its answer.
        case subscribing(ClientConnection, UInt64)
        /// SUBSCRIBE_EVENTS of that id was answered.
        case subscribed(ClientConnection, UInt64)
        /// Final; with the error that ended it, if there is one.
        case ended(CarillonError?)
    }

    /// An EVENT_CREDIT that is not answered yet.
    private struct PendingCredit {
        var request: UInt64
        var credit: UInt64
        var acknowledged: UInt64
    }

    /// Elements in memory at most, delivered ones that are not consumed yet included.
    static let window = 1_024
    /// Elements delivered at a time: few enough that the server sends more while they are consumed.
    private static let batch = window / 4

    private let options: EventStreamOptions
    private let timeout: UInt64
    private let backoff: Backoff
    private let eventLoop: any EventLoop
    private let retry: RestartableTimer
    private var generator = SystemRandomNumberGenerator()
    private var state = State.disconnected(notBefore: 0)
    private var failures = 0

    /// The history that the sequence numbers belong to; nil before the first connection.
    private var epoch: UUIDBytes?
    /// Everything up to this number has been received; nil until the server has said where the subscription begins.
    private var position: UInt64?
    private var queue = CircularBuffer<EventStreamElement>()
    private var delivered = 0
    private var waiters = CircularBuffer<Waiter>()

    /// On this connection: event frames received, and the credit that the server has.
    private var received: UInt64 = 0
    private var credit: UInt64 = 0
    private var pendingCredit: PendingCredit?

    private var acknowledged: UInt64 = 0
    /// Everything up to this number is acknowledged on the disk of the server.
    private var durable: UInt64 = 0
    private var flushes:
        [UInt64: (upTo: UInt64, continuation: CheckedContinuation<Result<Void, CarillonError>, Never>)] =
            [:]

    /// Resumed with the first answer.
    var opening: CheckedContinuation<Result<Void, CarillonError>, Never>?
    /// Called when there may be a request to send.
    var onReady: () -> Void = {}
    /// Called once, at the end.
    var onEnd: () -> Void = {}

    init(_ options: EventStreamOptions, configuration: CarillonClient.Configuration, eventLoop: any EventLoop) {
        self.options = options
        self.eventLoop = eventLoop
        timeout = configuration.requestTimeout.milliseconds
        backoff = Backoff(configuration)
        retry = RestartableTimer(eventLoop)
        if case .after(let sequence) = options.start { position = sequence }
    }

    /// True if it waits for a connection.
    var wantsConnection: Bool {
        if case .disconnected(let notBefore) = state {
            hasRoom && Clock.uptime() >= notBefore
        } else {
            false
        }
    }

    /// The number up to which everything has been received; 0 before the server has said where the subscription begins.
    var lastSequence: UInt64 { position ?? 0 }

    /// True if the server has accepted the subscription at least once.
    var isOpen: Bool { opening == nil }

    private var occupied: Int { queue.count + delivered }
    private var hasRoom: Bool { occupied < Self.window }

    // MARK: Consumers

    /// Starts; the first answer must come within the timeout of a call.
    func begin() {
        retry.action = { [weak self] in self?.onReady() }
        if case .ended = state { return finishOpening(.failure(.taskCancelled)) }
        after(timeout) { consumer in
            guard consumer.opening != nil else { return }
            consumer.end(CarillonError(.timeout, retryAfter: .zero, message: "the subscription was not made in time"))
        }
    }

    /// Resumes `waiter` with the next elements as soon as there are any. `consumed` delivered elements are out of
    /// memory.
    func next(afterConsuming consumed: Int, _ waiter: Waiter) {
        delivered -= min(consumed, delivered)
        waiters.append(waiter)
        deliver()
        onReady()
    }

    /// Acknowledges the events up to a number, but no more than were received.
    func acknowledge(upTo sequence: UInt64) {
        let next = min(sequence, position ?? 0)
        guard !options.name.isEmpty, next > acknowledged else { return }
        acknowledged = next
        onReady()
    }

    /// Resumes the continuation when everything acknowledged is durable.
    func flush(_ id: UInt64, _ continuation: CheckedContinuation<Result<Void, CarillonError>, Never>) {
        guard acknowledged > durable else { return continuation.resume(returning: .success(())) }
        if case .ended(let error) = state {
            return continuation.resume(returning: .failure(error ?? Self.over))
        }
        flushes[id] = (acknowledged, continuation)
        after(timeout) { consumer in
            consumer.abandonFlush(
                id, CarillonError(.timeout, effect: .unknown, retryAfter: .zero, message: "no answer in time"))
        }
    }

    /// Ends a flush with an error.
    func abandonFlush(_ id: UInt64, _ error: CarillonError) {
        flushes.removeValue(forKey: id)?.continuation.resume(returning: .failure(error))
    }

    /// Ends the subscription; the last acknowledgement is still sent, if there is a connection.
    func end(_ error: CarillonError?) {
        if case .ended = state { return }
        if case .subscribed(let connection, let id) = state { sendLastAcknowledgement(on: connection, id) }
        detach()
        state = .ended(error)
        retry.cancel()
        finishOpening(.failure(error ?? Self.over))
        for id in Array(flushes.keys) { abandonFlush(id, error ?? Self.over) }
        deliver()
        onEnd()
    }

    /// Sends what is acknowledged and not sent. Closing waits for the answer to the last acknowledgement: bytes that the
    /// server has not read can be lost when the connection closes. Credit alone needs no answer.
    private func sendLastAcknowledgement(on connection: ClientConnection, _ id: UInt64) {
        let sent = pendingCredit?.acknowledged ?? 0
        if acknowledged > max(durable, sent) {
            let last = EventCreditRequest(subscription: id, credit: credit, acknowledged: acknowledged)
            _ = connection.submit(last, consumer: nil, deadline: Clock.uptime() + timeout)
        } else if sent > 0 {
            // Not abandoned with the subscription.
            pendingCredit = nil
        }
    }

    private static let over = CarillonError(.closed, effect: .unknown, message: "the stream of events has ended")

    private func finishOpening(_ result: Result<Void, CarillonError>) {
        opening?.resume(returning: result)
        opening = nil
    }

    private func after(_ milliseconds: UInt64, _ body: @escaping (EventConsumer) -> Void) {
        eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(clamping: milliseconds))) { [weak self] in
            if let self { body(self) }
        }
    }

    // MARK: The connection

    /// Sends the requests that are due, if there is a connection and it has room.
    func sendDue(on connection: ClientConnection?) {
        switch state {
        case .disconnected(let notBefore):
            guard let connection, connection.isOpen, connection.hasRoom, hasRoom,
                Clock.uptime() >= notBefore
            else { return }
            subscribe(on: connection)
        case .subscribed(let connection, let id):
            if pendingCredit == nil, connection.hasRoom { sendCredit(connection, id) }
        case .subscribing, .ended:
            break
        }
    }

    private func subscribe(on connection: ClientConnection) {
        guard let helloAnswer = connection.helloAnswer else { return }
        if let epoch, epoch != helloAnswer.epoch { historyChanged() }
        epoch = helloAnswer.epoch
        (received, pendingCredit) = (0, nil)
        credit = UInt64(Self.window - occupied)
        let subscription = SubscribeEventsRequest(
            name: options.name, from: from, apps: options.apps, kinds: options.kinds, credit: credit)
        switch connection.submit(subscription, consumer: self, deadline: Clock.uptime() + timeout) {
        case .sent(id: let id):
            state = .subscribing(connection, id)
            connection.subscribers[id] = self
        case .refused(let reply): end(CarillonError(reply))
        case .wait, .elsewhere: break
        }
    }

    /// `from` of SUBSCRIBE_EVENTS, where 0 does not mean "after none".
    private var from: UInt64 {
        if let position { return position == 0 ? SubscribeEventsRequest.oldest : position }
        return options.start == .now || options.name.isEmpty ? SubscribeEventsRequest.now : 0
    }

    private func historyChanged() {
        (position, acknowledged, durable) = (nil, 0, 0)
        for id in Array(flushes.keys) { abandonFlush(id, Self.over) }
        if queue.last != .newHistory { queue.append(.newHistory) }
        deliver()
    }

    /// Sends the acknowledgement, and more credit once that is half of the window.
    private func sendCredit(_ connection: ClientConnection, _ id: UInt64) {
        let room = received + UInt64(max(Self.window - occupied, 0))
        let isCreditDue = room >= credit + UInt64(Self.window / 2)
        guard isCreditDue || acknowledged > durable else { return }
        let next = EventCreditRequest(
            subscription: id, credit: max(room, credit), acknowledged: acknowledged > durable ? acknowledged : 0)
        guard
            case .sent(id: let request) = connection.submit(
                next, consumer: self, deadline: Clock.uptime() + timeout)
        else { return }
        pendingCredit = PendingCredit(request: request, credit: next.credit, acknowledged: next.acknowledged)
    }

    /// A request of the subscription was answered.
    func answered(_ answer: AnyAnswer, _ request: UInt64) {
        failures = 0
        if case .subscribing(let connection, request) = state,
            let after = answer.as(answerTo: SubscribeEventsRequest.self)
        {
            state = .subscribed(connection, request)
            begins(after: after)
        } else if let accepted = pendingCredit, accepted.request == request {
            pendingCredit = nil
            creditAccepted(accepted)
        }
    }

    private func creditAccepted(_ accepted: PendingCredit) {
        credit = max(credit, accepted.credit)
        durable = max(durable, accepted.acknowledged)
        for (id, flush) in flushes where flush.upTo <= durable {
            flushes[id] = nil
            flush.continuation.resume(returning: .success(()))
        }
        onReady()
    }

    private func begins(after sequence: UInt64) {
        if let position, position < sequence, sequence < .max {
            queue.append(.gap(position + 1..<sequence + 1))
            deliver()
        }
        position = max(position ?? 0, sequence)
        finishOpening(.success(()))
        onReady()
    }

    /// An event frame has come.
    func received(_ notice: EventNotice) {
        received += 1
        let before = position ?? 0
        // Events received before the connection was lost may come again.
        if notice.sequence > before {
            position = notice.sequence
            switch notice {
            case .event(let event): queue.append(.event(event))
            case .gap(let missed, _): queue.append(.gap(max(missed.lowerBound, before + 1)..<missed.upperBound))
            }
            deliver()
        }
    }

    private func deliver() {
        while !waiters.isEmpty, !queue.isEmpty {
            let batch = Array(queue.prefix(Self.batch))
            queue.removeFirst(batch.count)
            delivered += batch.count
            waiters.removeFirst().resume(returning: .success(batch))
        }
        guard case .ended(let error) = state else { return }
        while let waiter = waiters.popFirst() {
            waiter.resume(returning: error.map { .failure($0) } ?? .success(nil))
        }
    }

    /// A request of the subscription was refused, or not answered in time.
    func failed(_ error: CarillonError, _ request: UInt64) {
        switch state {
        case .subscribing(_, let id) where id == request: break
        case .subscribed where pendingCredit?.request == request: break
        case .disconnected, .subscribing, .subscribed, .ended: return
        }
        let isUnknown = error.code == .server(.notFound) && pendingCredit != nil
        guard let pause = error.retryAfter ?? (isUnknown ? .zero : nil) else { return end(error) }
        failures += 1
        detach()
        let notBefore =
            Clock.uptime() + max(pause.milliseconds, backoff.pause(failures: failures, using: &generator))
        state = .disconnected(notBefore: notBefore)
        retry.arm(at: notBefore)
    }

    /// The connection accepts no more requests, or is gone.
    func connectionLost(_ connection: ClientConnection) {
        switch state {
        case .subscribing(let mine, _), .subscribed(let mine, _):
            guard mine === connection else { return }
            detach()
            state = .disconnected(notBefore: 0)
        case .disconnected, .ended: break
        }
    }

    private func detach() {
        switch state {
        case .subscribing(let connection, let id):
            connection.subscribers[id] = nil
            connection.abandon(request: id)
        case .subscribed(let connection, let id):
            connection.subscribers[id] = nil
            if let pendingCredit { connection.abandon(request: pendingCredit.request) }
            connection.unsubscribe(id)
        case .disconnected, .ended: break
        }
        pendingCredit = nil
    }
}
