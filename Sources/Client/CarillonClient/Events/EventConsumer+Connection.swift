import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// Runs the subscription on its connections: SUBSCRIBE_EVENTS, credit, events, and the steps after a loss.
extension EventConsumer {
    /// Sends the requests that are due, if there is a connection and it has room.
    func sendDue(on connection: ClientConnection?) {
        switch state {
        case .disconnected(let notBefore):
            guard let connection, connection.hasOpened, connection.hasRoom, Clock.uptime() >= notBefore else { return }
            subscribe(on: connection)
        case .subscribed(let connection, let id):
            if credit.pending == nil, connection.hasRoom { sendCredit(for: id, on: connection) }
        case .subscribing, .closing, .ended:
            break
        }
    }

    /// Sends SUBSCRIBE_EVENTS, from the position that the consumer has reached.
    private func subscribe(on connection: ClientConnection) {
        guard let helloAnswer = connection.helloAnswer else { return }
        if position.connectedToNewHistory(helloAnswer.epoch) { historyChanged() }
        credit.begin(taken: options.taken.value, buffered: bufferedCount)
        let subscription = SubscribeEventsRequest(
            name: options.name, from: position.subscribeFrom(isNamed: !options.name.isEmpty), apps: options.apps,
            kinds: options.kinds, credit: credit.granted)
        switch connection.submit(subscription, consumer: self, deadline: Clock.uptime() + timeoutMilliseconds) {
        case .sent(id: let id):
            state = .subscribing(connection, request: id)
            connection.consumersBySubscription[id] = self
        case .refused(let error): end(CarillonError(error))
        case .sendLater, .sendOnAnotherConnection: break
        }
    }

    private func historyChanged() {
        acknowledgementTracker.reset(Self.streamEnded)
        append(.newHistory)
    }

    /// Sends the acknowledgement, and more credit once half of the window is used.
    private func sendCredit(for id: UInt64, on connection: ClientConnection) {
        let now = Clock.uptime()
        guard now >= credit.notBefore else { return retryTimer.arm(at: credit.notBefore) }
        let taken = options.taken.value
        let unsent = acknowledgementTracker.unsent
        guard let next = credit.nextTotalCredit(taken: taken, unsent: unsent) else { return }
        let request = EventCreditRequest(subscription: id, totalCredit: next, acknowledgedUpTo: unsent)
        switch connection.submit(request, consumer: self, deadline: now + timeoutMilliseconds) {
        case .sent(id: let request): credit.sent(request, taken: taken, acknowledged: unsent)
        case .sendLater, .sendOnAnotherConnection, .refused: break
        }
    }

    /// Handles the answer to a request of the subscription.
    func requestAnswered(_ request: UInt64, with answer: AnyAnswer) {
        pauses.succeeded()
        if case .subscribing(let connection, request: request) = state,
            let after = answer.as(answerTo: SubscribeEventsRequest.self)
        {
            state = .subscribed(connection, subscription: request)
            subscriptionBegan(after: after)
        } else if let accepted = credit.answered(request) {
            acknowledgementTracker.becameDurable(accepted.acknowledged)
            onReady()
        } else {
            closingRequestEnded(request, isAnswered: true)
        }
    }

    private func subscriptionBegan(after sequence: UInt64) {
        if let missed = position.subscriptionBegan(after: sequence), !isClosing {
            credit.elementInserted()
            append(.gap(missed))
        }
        finishOpening(.success(()))
        if isClosing { finishClosing() } else { onReady() }
    }

    /// Adds the event or gap of an event frame to the elements in memory.
    func noticeReceived(_ notice: EventNotice) {
        // Events received before the connection was lost may come again.
        guard let element = position.receive(notice) else {
            credit.frameDropped()
            return onReady()
        }
        append(element)
    }

    /// Handles a request of the subscription that was refused, or not answered in time.
    func requestFailed(_ request: UInt64, with error: CarillonError) {
        switch state {
        case .subscribing(_, let id) where id == request: subscriptionFailed(error)
        case .subscribed where credit.pending?.request == request: creditFailed(error)
        case .closing: closingRequestEnded(request, isAnswered: false)
        case .disconnected, .subscribing, .subscribed, .ended: return
        }
    }

    private func subscriptionFailed(_ error: CarillonError) {
        if isClosing { return end(nil) }
        guard let pause = error.retryAfter else { return end(error) }
        detach()
        let notBefore = Clock.uptime() + pause.milliseconds + pauses.countFailure()
        state = .disconnected(notBefore: notBefore)
        retryTimer.arm(at: notBefore)
    }

    /// Handles the refusal of EVENT_CREDIT: it is tried again later, the subscription is made again, or it ends.
    private func creditFailed(_ error: CarillonError) {
        credit.refused()
        if error.code == .notFound {
            forgetSubscription()
            return onReady()
        }
        guard let pause = error.retryAfter else {
            forgetSubscription()
            return end(error)
        }
        credit.wait(until: Clock.uptime() + pause.milliseconds + pauses.countFailure())
        retryTimer.arm(at: credit.notBefore)
    }

    /// Forgets a subscription that the server does not have any more.
    private func forgetSubscription() {
        if case .subscribed(let connection, let id) = state { connection.forget(subscription: id) }
        state = .disconnected(notBefore: 0)
    }

    /// Leaves a connection that accepts no new requests, or is gone.
    func connectionLost(_ connection: ClientConnection) {
        switch state {
        case .subscribing(let mine, _), .subscribed(let mine, _):
            guard mine === connection else { return }
            if isClosing { return end(nil) }
            detach()
            state = .disconnected(notBefore: 0)
        case .closing(let mine, _):
            if mine === connection { end(nil) }
        case .disconnected, .ended: break
        }
    }

    /// Abandons the requests on the connection, and what the server has for them.
    func detach() {
        switch state {
        case .subscribing(let connection, let id):
            connection.consumersBySubscription[id] = nil
            connection.abandon(request: id)
        case .subscribed(let connection, let id):
            connection.consumersBySubscription[id] = nil
            if let pending = credit.pending { connection.abandon(request: pending.request) }
            connection.unsubscribe(id)
        case .closing(let connection, let unanswered):
            for request in unanswered.keys { connection.abandon(request: request) }
        case .disconnected, .ended: break
        }
        credit.forgetPending()
    }
}
