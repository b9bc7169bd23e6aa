package import CarillonCore

/// A request SUBSCRIBE or UNSUBSCRIBE: they have the same payload and the same answer (Protocol 9.1).
package protocol SubscriptionOperation: ChangeOperation where Answer == MembershipChangeAnswer {
    /// The subscriptions to make or to end.
    var subscription: TopicSubscription { get }
    /// Makes the request with these fields.
    init(_ subscription: TopicSubscription)
}

extension SubscriptionOperation {
    package var app: AppID { subscription.app }

    package static func answer(_ answer: ChangeAnswer) -> MembershipChangeAnswer? {
        if case .membership(let answer) = answer { MembershipChangeAnswer(answer) } else { nil }
    }

    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(try TopicSubscription(from: &reader, common: &common))
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        subscription.write(to: &writer, common: common)
    }
}
