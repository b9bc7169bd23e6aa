import CarillonCore
package import CarillonWire

/// Event subscriptions and their credit (Protocol 8a).
extension ServerSession {
    /// Follows the subscriptions and their credit.
    ///
    /// - Returns: an error if the request names no subscription of this connection, or would be one too many; nil if it may run.
    mutating func updateSubscriptions(_ request: Request, id: UInt64) -> ErrorReply? {
        switch request {
        case .subscribeEvents(let it):
            let limit = WireLimits.eventSubscriptions
            guard subscriptions.count < limit else {
                let text = "a connection has at most \(limit) subscriptions of events"
                return ErrorReply(.invalidArgument, message: text, limit: UInt64(limit))
            }
            subscriptions.begin(id, credit: it.credit)
        case .eventCredit(let it):
            guard subscriptions.contains(it.subscription) else { return Self.noSubscription }
            subscriptions.raise(it.subscription, to: it.credit)
        case .unsubscribeEvents(let it):
            guard subscriptions.contains(it.subscription) else { return Self.noSubscription }
            subscriptions.end(it.subscription)
        default: break
        }
        return nil
    }

    private static let noSubscription = ErrorReply(
        .notFound, message: "this connection has no such subscription", field: "subscription")

    /// Whether an event may be sent on the subscription that the request `id` has made: it is answered and not ended, has
    /// credit, and the caller has taken most of the output.
    package func canSendEvent(_ subscription: UInt64) -> Bool {
        phase == .open && output.bytes.count < limits.eventBytesWaiting && subscriptions.admits(subscription)
    }

    /// Sends an event and counts it against the credit.
    ///
    /// - Returns: false, and nothing is sent, while `canSendEvent` is false.
    package mutating func sendEvent(_ notice: EventNotice, on subscription: UInt64) -> Bool {
        guard canSendEvent(subscription), subscriptions.spend(subscription) else { return false }
        output.event(notice, subscription: subscription)
        return true
    }
}
