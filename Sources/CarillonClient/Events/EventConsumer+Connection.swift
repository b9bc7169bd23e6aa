import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// The subscription on its connections: SUBSCRIBE_EVENTS, credit, events, and the steps after a loss.
extension EventConsumer {
    /// Sends the requests that are due, if there is a connection and it has room.
    func sendDue(on connection: ClientConnection?) {
        switch state {
        case .disconnected(let notBefore):
            guard let connection, connection.isOpen, connection.hasRoom, Clock.uptime() >= notBefore else { return }
            subscribe(on: connection)
        case .subscribed(let connection, let id):
            if pendingCredit == nil, connection.hasRoom { sendCredit(connection, id) }
        case .subscribing, .closing, .ended:
            break
        }
    }

    private func subscribe(on connection: ClientConnection) {
        guard let helloAnswer = connection.helloAnswer else { return }
        if let epoch, epoch != helloAnswer.epoch { historyChanged() }
        epoch = helloAnswer.epoch
        pendingCredit = nil
        creditNotBefore = 0
        credit.begin(taken: options.taken.now, occupied: occupied)
        let subscription = SubscribeEventsRequest(
            name: options.name, from: from, apps: options.apps, kinds: options.kinds, credit: credit.granted)
        switch connection.submit(subscription, consumer: self, deadline: Clock.uptime() + timeoutMilliseconds) {
        case .sent(id: let id):
            state = .subscribing(connection, id)
            connection.subscribers[id] = self
        case .refused(let reply): end(CarillonError(reply))
        case .wait, .elsewhere: break
        }
    }

    /// The value of `from` in SUBSCRIBE_EVENTS, where 0 does not mean "after none".
    private var from: UInt64 {
        if let position { return position == 0 ? SubscribeEventsRequest.oldest : position }
        return switch start {
        case .now: SubscribeEventsRequest.now
        case .oldest: SubscribeEventsRequest.oldest
        case .acknowledged, .after: options.name.isEmpty ? SubscribeEventsRequest.now : 0
        }
    }

    private func historyChanged() {
        position = nil
        acknowledgements.reset(Self.over)
        history += 1
        if case .after = start { start = .acknowledged }
        queue.append(.newHistory)
        deliver()
    }

    /// Sends the acknowledgement, and more credit once half of the window is used.
    private func sendCredit(_ connection: ClientConnection, _ id: UInt64) {
        let now = Clock.uptime()
        guard now >= creditNotBefore else { return retry.arm(at: creditNotBefore) }
        let taken = options.taken.now
        let isCreditDue = credit.isDue(taken: taken)
        guard isCreditDue || acknowledgements.unsent > 0 else { return }
        let before = credit.granted
        if isCreditDue { credit.raise(taken: taken) }
        let next = EventCreditRequest(
            subscription: id, credit: credit.granted, acknowledged: acknowledgements.unsent)
        guard case .sent(id: let request) = connection.submit(next, consumer: self, deadline: now + timeoutMilliseconds)
        else {
            credit.revert(to: before)
            return
        }
        pendingCredit = PendingCredit(request: request, acknowledged: next.acknowledged, before: before)
    }

    /// Handles the answer to a request of the subscription.
    func requestAnswered(_ answer: AnyAnswer, _ request: UInt64) {
        failures = 0
        if case .subscribing(let connection, request) = state,
            let after = answer.as(answerTo: SubscribeEventsRequest.self)
        {
            state = .subscribed(connection, request)
            begins(after: after)
        } else if let accepted = pendingCredit, accepted.request == request {
            pendingCredit = nil
            acknowledgements.becameDurable(accepted.acknowledged)
            onReady()
        } else {
            closingAnswered(request)
        }
    }

    private func begins(after sequence: UInt64) {
        if let position, position < sequence, sequence < .max {
            queue.append(.gap(position + 1..<sequence + 1))
            credit.elementInserted()
            deliver()
        }
        position = max(position ?? 0, sequence)
        finishOpening(.success(()))
        if isClosing { finishClosing() } else { onReady() }
    }

    /// Adds the event or gap of an event frame to the elements in memory.
    func noticeReceived(_ notice: EventNotice) {
        let before = position ?? 0
        // Events received before the connection was lost may come again.
        guard notice.sequence > before else {
            credit.frameDropped()
            return onReady()
        }
        position = notice.sequence
        switch notice {
        case .event(let event): queue.append(.event(event))
        case .gap(let missed, _): queue.append(.gap(max(missed.lowerBound, before + 1)..<missed.upperBound))
        }
        deliver()
    }

    /// Handles a request of the subscription that was refused, or not answered in time.
    func requestFailed(_ error: CarillonError, _ request: UInt64) {
        switch state {
        case .subscribing(_, let id) where id == request: subscriptionFailed(error)
        case .subscribed where pendingCredit?.request == request: creditFailed(error)
        case .closing: closingAnswered(request)
        case .disconnected, .subscribing, .subscribed, .ended: return
        }
    }

    private func subscriptionFailed(_ error: CarillonError) {
        if isClosing { return end(nil) }
        guard let pause = error.retryAfter else { return end(error) }
        failures += 1
        detach()
        let notBefore = Clock.uptime() + pause.milliseconds + backoff.pause(failures: failures, using: &generator)
        state = .disconnected(notBefore: notBefore)
        retry.arm(at: notBefore)
    }

    private func creditFailed(_ error: CarillonError) {
        if let pendingCredit { credit.revert(to: pendingCredit.before) }
        pendingCredit = nil
        if error.code == .notFound {
            forgetSubscription()
            return onReady()
        }
        guard let pause = error.retryAfter else {
            forgetSubscription()
            return end(error)
        }
        failures += 1
        creditNotBefore = Clock.uptime() + pause.milliseconds + backoff.pause(failures: failures, using: &generator)
        retry.arm(at: creditNotBefore)
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

    func detach() {
        switch state {
        case .subscribing(let connection, let id):
            connection.subscribers[id] = nil
            connection.abandon(request: id)
        case .subscribed(let connection, let id):
            connection.subscribers[id] = nil
            if let pendingCredit { connection.abandon(request: pendingCredit.request) }
            connection.unsubscribe(id)
        case .closing(let connection, let unanswered):
            for request in unanswered { connection.abandon(request: request) }
        case .disconnected, .ended: break
        }
        pendingCredit = nil
    }
}
