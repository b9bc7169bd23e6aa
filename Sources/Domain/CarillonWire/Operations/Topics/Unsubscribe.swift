package import CarillonCore

/// The request UNSUBSCRIBE (Protocol 9.1).
package struct UnsubscribeRequest: SubscriptionOperation {
    package static let opcode = Opcode.unsubscribe

    package var subscription: TopicSubscription

    package init(_ subscription: TopicSubscription) {
        self.subscription = subscription
    }

    package func change(at now: Timestamp) -> Change { .unsubscribe(subscription) }
}

extension Opcode {
    package static let unsubscribe = Opcode(rawValue: 0x0031)
}
