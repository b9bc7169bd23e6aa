/// A request that is answered from the state of the session.
package enum SessionRequest: Hashable, Sendable {
    case hello(HelloRequest)
    case authenticate(AuthenticateRequest)
    case subscribeEvents(SubscribeEventsRequest)
    case eventCredit(EventCreditRequest)
    case unsubscribeEvents(UnsubscribeEventsRequest)
}
