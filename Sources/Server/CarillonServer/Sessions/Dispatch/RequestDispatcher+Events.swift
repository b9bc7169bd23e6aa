import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// Subscriptions of events (Protocol 11).
extension RequestDispatcher {
    /// Finds the event after which a subscription begins, and then answers (SUBSCRIBE_EVENTS).
    func subscribe(_ subscription: SubscribeEventsRequest, in context: RequestContext) {
        events.subscriptionRequested(subscription, in: context)
        let complete = completionHandler()
        runner.subscribe(subscription, in: context) { complete(.subscription(id: context.id, $0)) }
    }

    /// Stores what the client acknowledges, if anything, and sends what the credit allows (EVENT_CREDIT).
    func creditReceived(_ credit: EventCreditRequest, in context: RequestContext) {
        let answered = EncodedAnswer(EmptyAnswer(), to: EventCreditRequest.self)
        if credit.acknowledgedUpTo > 0, let subscriber = events.subscriber(of: credit.subscription) {
            let complete = resultHandler(of: context.id)
            runner.acknowledgements.acknowledge(
                subscriber, upTo: credit.acknowledgedUpTo, as: context.principal, now: Clock.uptime()
            ) { error in
                complete(error.map(Result.failure) ?? .success(answered))
            }
        } else {
            session.answer(answered, id: context.id)
        }
        sendEvents()
    }

    /// Forgets a subscription (UNSUBSCRIBE_EVENTS).
    func unsubscribe(_ unsubscription: UnsubscribeEventsRequest, id: UInt64) {
        events.subscriptionEnded(unsubscription.subscription)
        session.answer(EncodedAnswer(EmptyAnswer(), to: UnsubscribeEventsRequest.self), id: id)
    }

    /// Sends the events that the client's credit allows.
    func sendEvents() {
        events.send(through: &session, isWritable: channel.isWritable)
    }
}
