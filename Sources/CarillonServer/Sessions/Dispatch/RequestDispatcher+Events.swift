import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// Subscriptions of events (Protocol 8a).
extension RequestDispatcher {
    /// SUBSCRIBE_EVENTS: finds out where the subscription goes on, and then answers.
    func subscribe(_ subscription: SubscribeEventsRequest, _ context: RequestContext) {
        events.requested(subscription, context)
        let complete = completionHandler()
        runner.subscribe(subscription, in: context) { complete(.subscription(id: context.id, $0)) }
    }

    /// EVENT_CREDIT: stores what the client acknowledges, if anything, and sends what the credit allows.
    func creditReceived(_ credit: EventCreditRequest, _ context: RequestContext) {
        let answered = EncodedAnswer(EmptyAnswer(), to: EventCreditRequest.self)
        if credit.acknowledged > 0, let subscriber = events.subscriber(of: credit.subscription) {
            let reply = reply(to: context.id)
            runner.acknowledgements.acknowledge(
                subscriber, upTo: credit.acknowledged, as: context.principal, now: Clock.uptime()
            ) { error in
                reply(error.map(Result.failure) ?? .success(answered))
            }
        } else {
            session.respond(answered, id: context.id)
        }
        sendEvents()
    }

    /// UNSUBSCRIBE_EVENTS: forgets the subscription.
    func unsubscribe(_ unsubscription: UnsubscribeEventsRequest, id: UInt64) {
        events.unsubscribed(unsubscription.subscription)
        session.respond(EncodedAnswer(EmptyAnswer(), to: UnsubscribeEventsRequest.self), id: id)
    }

    /// Sends the events that the client's credit allows.
    func sendEvents() {
        events.send(through: &session, isWritable: channel.isWritable)
    }
}
