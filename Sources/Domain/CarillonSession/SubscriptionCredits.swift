import CarillonWire

/// The event subscriptions of one connection, with the number of events that each may still carry (Protocol 11). Both
/// ends use it.
struct SubscriptionCredits {
    private struct Subscription {
        /// The number of events that may be sent in all.
        var credit: UInt64
        var sent: UInt64 = 0
        /// True if SUBSCRIBE_EVENTS has been answered: no event comes before.
        var isAnswered = false
    }

    /// The subscriptions by the id of SUBSCRIBE_EVENTS. A server has at most
    /// `WireLimits.eventSubscriptionsPerConnection`, a client as many as it asks for.
    private var subscriptions: [UInt64: Subscription] = [:]

    var count: Int { subscriptions.count }

    func contains(_ id: UInt64) -> Bool { subscriptions[id] != nil }

    /// Returns true if the subscription is answered and has credit left.
    func mayCarryEvent(_ id: UInt64) -> Bool {
        subscriptions[id].map { $0.isAnswered && $0.sent < $0.credit } ?? false
    }

    mutating func begin(_ id: UInt64, credit: UInt64) {
        subscriptions[id] = Subscription(credit: credit)
    }

    mutating func subscriptionAnswered(_ id: UInt64) {
        // The server calls this after every answer, and few of them are about a subscription.
        if !subscriptions.isEmpty { subscriptions[id]?.isAnswered = true }
    }

    /// Raises the credit. Credit is an absolute number, so a smaller number than before changes nothing.
    mutating func raise(_ id: UInt64, to credit: UInt64) {
        guard let before = subscriptions[id]?.credit else { return }
        subscriptions[id]?.credit = max(before, credit)
    }

    /// Counts one event against the credit; returns false if the subscription may not carry it.
    mutating func spend(_ id: UInt64) -> Bool {
        guard mayCarryEvent(id) else { return false }
        subscriptions[id]?.sent += 1
        return true
    }

    mutating func end(_ id: UInt64) {
        subscriptions[id] = nil
    }
}
