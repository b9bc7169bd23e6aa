import CarillonCore
package import CarillonWire

/// Event subscriptions and their credit (Protocol 11).
extension ServerSession {
    /// Begins a subscription; returns an error if the connection has too many.
    mutating func begin(_ subscription: SubscribeEventsRequest, id: UInt64) -> RequestError? {
        let limit = WireLimits.eventSubscriptionsPerConnection
        guard requests.subscriptions.count < limit else {
            let text = "a connection has at most \(limit) subscriptions of events"
            return RequestError(.invalidArgument, message: text, limit: UInt64(limit))
        }
        requests.subscriptions.begin(id, credit: subscription.credit)
        return nil
    }

    /// Returns the error of an EVENT_CREDIT or UNSUBSCRIBE_EVENTS of a subscription; nil if it is allowed. The role is
    /// judged for each request; the apps were judged when the subscription was made.
    func refusal(ofChangesTo subscription: UInt64) -> RequestError? {
        if let principal, principal.apps(as: .observe)?.isEmpty == true {
            return RequestError(.forbidden, message: "\(principal.name) observes no app")
        }
        guard !requests.subscriptions.contains(subscription) else { return nil }
        return RequestError(.notFound, message: "this connection has no such subscription", field: "subscription")
    }

    /// Returns true if the subscription that the request `id` has made is answered, and has credit for an event.
    package func hasCredit(_ subscription: UInt64) -> Bool { requests.subscriptions.mayCarryEvent(subscription) }

    /// Returns true if an event may be sent on the subscription that the request `id` has made. The subscription must
    /// be answered, have credit and go on, and the caller must have taken most of the output.
    package func canSendEvent(_ subscription: UInt64) -> Bool {
        state.phase == .open && output.bytes.count < limits.eventBytesWaiting
            && requests.subscriptions.mayCarryEvent(subscription)
    }

    /// Sends an event and counts it against the credit.
    ///
    /// - Returns: false, and nothing is sent, while `canSendEvent` is false.
    package mutating func sendEvent(_ notice: EventNotice, on subscription: UInt64) -> Bool {
        guard canSendEvent(subscription), requests.subscriptions.spend(subscription) else { return false }
        output.event(notice, subscription: subscription)
        return true
    }
}
