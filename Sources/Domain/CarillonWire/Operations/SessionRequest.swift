/// A request that changes the state of the session: HELLO, AUTH, and the requests about subscriptions of events. The
/// session answers HELLO itself; for the others it returns a step, and the server answers.
package enum SessionRequest: Hashable, Sendable {
    case hello(HelloRequest)
    case authenticate(AuthenticateRequest)
    case subscribeEvents(SubscribeEventsRequest)
    case eventCredit(EventCreditRequest)
    case unsubscribeEvents(UnsubscribeEventsRequest)
}
