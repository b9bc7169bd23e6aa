package import CarillonCore

/// The request SUBSCRIBE (Protocol 9.1).
package struct SubscribeRequest: SubscriptionOperation {
    package static let opcode = Opcode.subscribe

    package var subscription: TopicSubscription

    package init(_ subscription: TopicSubscription) {
        self.subscription = subscription
    }

    package static func request(for change: Change) -> SubscribeRequest? {
        if case .subscribe(let subscription) = change { SubscribeRequest(subscription) } else { nil }
    }

    package func change(at now: Timestamp) -> Change { .subscribe(subscription) }
}

extension Opcode {
    package static let subscribe = Opcode(rawValue: 0x0030)
}
