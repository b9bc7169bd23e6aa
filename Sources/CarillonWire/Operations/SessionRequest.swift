/// A request that is answered from the state of the session.
package enum SessionRequest: Hashable, Sendable {
    case hello(Hello)
    case authenticate(Authentication)
    case subscribeEvents(EventSubscription)
    case eventCredit(EventCredit)
    case unsubscribeEvents(EventUnsubscription)
}
