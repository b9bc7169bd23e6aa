package import CarillonCore

/// The request SUBSCRIBE (Protocol 9.1).
package struct SubscribeRequest: SubscriptionOperation {
    package static let opcode = Opcode.subscribe

    package var subscription: TopicSubscription

    package init(_ subscription: TopicSubscription) {
        self.subscription = subscription
    }

    package func change(at now: Timestamp) -> Change { .subscribe(subscription) }
}

extension Opcode {
    package static let subscribe = Opcode(rawValue: 0x0030)
}
