import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// One subscription of events over any number of connections (Protocol 11): its position, the elements that wait to be
/// consumed, the credit of the server and the acknowledgements. At most `window` elements from the server are in
/// memory, and a few that the client adds itself.
///
/// Confined to its event loop.
final class EventConsumer {
    /// The state of the subscription.
    enum State {
        /// The subscription is on no connection; it is subscribed again at that time at the earliest.
        case disconnected(notBefore: Uptime)
        /// The SUBSCRIBE_EVENTS of that id awaits its answer.
        case subscribing(ClientConnection, request: UInt64)
        /// The SUBSCRIBE_EVENTS of that id was answered.
        case subscribed(ClientConnection, subscription: UInt64)
        /// The program has closed the subscription; UNSUBSCRIBE_EVENTS and the last acknowledgements await their
        /// answers: the requests by id, each with the number up to which it acknowledges events, or 0.
        case closing(ClientConnection, unanswered: [UInt64: UInt64])
        /// The subscription has ended for good; with the error that ended it, if there is one.
        case ended(CarillonError?)
    }

    /// The number of elements delivered at a time, and after which the consumer reports: few enough that the server
    /// sends more while they are consumed.
    var batchCount: Int { max(1, credit.window / 4) }

    let options: EventStreamOptions
    let timeoutMilliseconds: UInt64
    let eventLoop: any EventLoop
    let retryTimer: EarliestDeadlineTimer

    // `+Connection` writes these five: it subscribes on connections, takes their answers, and goes on after a loss.
    var state = State.disconnected(notBefore: 0)
    var position: StreamPosition
    var credit: CreditReports
    var acknowledgementTracker = AcknowledgementTracker()
    var pauses: FailurePauses

    private var elements = ElementQueue()
    private(set) var isClosing = false
    /// The continuation that is resumed with the first answer.
    private var opening: CheckedContinuation<Result<Void, CarillonError>, Never>?
    /// Called when there may be a request to send.
    private(set) var onReady: () -> Void = {}
    /// Called once, at the end.
    private var onEnd: () -> Void = {}
    private var endWaiters: [() -> Void] = []

    init(_ options: EventStreamOptions, configuration: CarillonClient.Configuration, eventLoop: any EventLoop) {
        self.options = options
        self.eventLoop = eventLoop
        credit = CreditReports(window: options.window)
        position = StreamPosition(start: options.start)
        timeoutMilliseconds = options.timeout.milliseconds
        pauses = FailurePauses(FailureBackoff(configuration))
        retryTimer = EarliestDeadlineTimer(eventLoop)
    }

    /// Sets the functions that are called when there may be a request to send, and once at the end.
    func setHandlers(onReady: @escaping () -> Void, onEnd: @escaping () -> Void) {
        self.onReady = onReady
        self.onEnd = onEnd
    }

    /// Sets the continuation that is resumed with the first answer. Call it before `begin`.
    func whenOpen(_ continuation: CheckedContinuation<Result<Void, CarillonError>, Never>) { opening = continuation }

    /// True if the subscription waits for a connection, and may be made on one now.
    var wantsConnection: Bool {
        if case .disconnected(let notBefore) = state { Clock.uptime() >= notBefore } else { false }
    }

    /// True if the subscription is on no connection.
    var isDetached: Bool { if case .disconnected = state { true } else { false } }

    /// The number up to which everything has been received; 0 before the server has said where the subscription begins.
    var lastSequence: UInt64 { position.lastSequence }

    /// True if the server has accepted the subscription at least once.
    var hasOpened: Bool { opening == nil }

    /// The number of elements in memory.
    var bufferedCount: Int { elements.count + max(0, elements.deliveredCount - options.taken.value) }

    // MARK: Consumers

    /// Starts the subscription; the first answer must come within the timeout of a call.
    func begin() {
        retryTimer.action = { [weak self] in self?.onReady() }
        if case .ended = state { return finishOpening(.failure(.taskCancelled)) }
        schedule(afterMilliseconds: timeoutMilliseconds) { consumer in
            guard consumer.opening != nil else { return }
            consumer.end(CarillonError(.noAnswer, retryAfter: .zero, message: "the subscription was not made in time"))
        }
    }

    /// Resumes `waiter` with the next elements as soon as there are any.
    func next(_ waiter: ElementQueue.Waiter) {
        elements.append(waiter)
        deliver()
    }

    /// Acknowledges the events up to `sequence`, if `history`, from which they come, is still the current one.
    func acknowledge(upTo sequence: UInt64, history: Int) {
        guard !options.name.isEmpty, history == position.history, acknowledgementTracker.acknowledge(upTo: sequence)
        else {
            return
        }
        onReady()
    }

    /// Resumes the continuation when everything acknowledged is durable.
    func flush(_ id: UInt64, continuation: CheckedContinuation<Result<Void, CarillonError>, Never>) {
        guard acknowledgementTracker.unsent > 0 else { return continuation.resume(returning: .success(())) }
        if case .ended(let error) = state {
            return continuation.resume(returning: .failure(error ?? Self.streamEnded))
        }
        acknowledgementTracker.flush(id) { continuation.resume(returning: $0) }
        schedule(afterMilliseconds: timeoutMilliseconds) { consumer in
            consumer.abandonFlush(
                id, with: CarillonError(.noAnswer, effect: .unknown, retryAfter: .zero, message: "no answer in time"))
        }
    }

    func abandonFlush(_ id: UInt64, with error: CarillonError) {
        acknowledgementTracker.abandonFlush(id, with: error)
    }

    /// Closes the subscription for the program: sends the last acknowledgement and UNSUBSCRIBE_EVENTS, and ends when
    /// both are answered; at once if there is no connection. Tasks that wait for elements do not wait for these
    /// answers.
    func close(discarding: Bool = false) {
        if discarding { elements.removeElements() }
        guard !isClosing else { return }
        isClosing = true
        deliver()
        // The subscription ends once the server has accepted it: before that there is nothing to end.
        if case .subscribing = state, opening == nil { return }
        finishClosing()
    }

    /// Sends the last acknowledgement and UNSUBSCRIBE_EVENTS, and ends if neither awaits an answer.
    func finishClosing() {
        guard case .subscribed(let connection, let id) = state else { return end(nil) }
        var unanswered: [UInt64: UInt64] = [:]
        let sent = credit.pending?.acknowledged ?? 0
        if let pending = credit.pending {
            if sent > 0 {
                unanswered[pending.request] = sent
            } else {
                // Credit alone needs no answer.
                connection.abandon(request: pending.request)
                credit.forgetPending()
            }
        }
        let deadline = Clock.uptime() + timeoutMilliseconds
        if acknowledgementTracker.unsent > sent {
            let last = EventCreditRequest(
                subscription: id, totalCredit: credit.granted, acknowledgedUpTo: acknowledgementTracker.unsent)
            if case .sent(let request) = connection.submit(last, consumer: self, deadline: deadline) {
                unanswered[request] = acknowledgementTracker.unsent
            }
        }
        connection.consumersBySubscription[id] = nil
        let end = UnsubscribeEventsRequest(subscription: id)
        switch connection.submit(end, consumer: self, deadline: deadline) {
        case .sent(let request): unanswered[request] = 0
        case .sendLater: connection.unsubscribe(id)
        case .sendOnAnotherConnection, .refused: break
        }
        credit.forgetPending()
        state = .closing(connection, unanswered: unanswered)
        if unanswered.isEmpty { self.end(nil) }
    }

    /// Handles the answer to a request of the end, or its failure; the last one ends the subscription. An
    /// acknowledgement that comes after the requests of the end is not sent.
    func closingRequestEnded(_ request: UInt64, isAnswered: Bool) {
        guard case .closing(let connection, var unanswered) = state,
            let acknowledged = unanswered.removeValue(forKey: request)
        else { return }
        state = .closing(connection, unanswered: unanswered)
        if isAnswered { acknowledgementTracker.becameDurable(acknowledged) }
        if unanswered.isEmpty { end(nil) }
    }

    /// Hands elements in memory to the tasks that wait for them; after the last element, the end.
    func deliver() {
        elements.deliver(atMost: batchCount)
        // A subscription that the program has closed ends without an error, even if its last requests fail.
        if isClosing { return elements.end(with: nil) }
        if case .ended(let error) = state { elements.end(with: error) }
    }

    func append(_ element: EventStreamElement) {
        elements.append(element)
        deliver()
    }

    /// Ends the subscription at once.
    func end(_ error: CarillonError?) {
        if case .ended = state { return }
        detach()
        state = .ended(error)
        retryTimer.cancel()
        finishOpening(.failure(error ?? Self.streamEnded))
        acknowledgementTracker.abandonFlushes(error ?? Self.streamEnded)
        deliver()
        onEnd()
        let ending = endWaiters
        endWaiters = []
        ending.forEach { $0() }
    }

    /// Calls `body` at the end of the subscription; at once if it has ended.
    func whenEnded(_ body: @escaping () -> Void) {
        if case .ended = state { body() } else { endWaiters.append(body) }
    }

    static let streamEnded = CarillonError(.closed, effect: .unknown, message: "the stream of events has ended")

    func finishOpening(_ result: Result<Void, CarillonError>) {
        opening?.resume(returning: result)
        opening = nil
    }

    func schedule(afterMilliseconds milliseconds: UInt64, _ body: @escaping (EventConsumer) -> Void) {
        eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(clamping: milliseconds))) { [weak self] in
            if let self { body(self) }
        }
    }
}
