package import CarillonCore

/// A request SUBSCRIBE or UNSUBSCRIBE: they have the same payload and the same answer (Protocol 7b.1).
package protocol SubscriptionOperation: ChangeOperation where Answer == MembershipChangeAnswer {
    /// The subscriptions to make or to end.
    var subscription: Subscription { get }
    /// Makes the request with these fields.
    init(_ subscription: Subscription)
}

extension SubscriptionOperation {
    package var app: AppID { subscription.app }

    package static func answer(_ answer: ChangeAnswer) -> MembershipChangeAnswer? {
        if case .membership(let answer) = answer { MembershipChangeAnswer(answer) } else { nil }
    }

    package init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireError) {
        self.init(try Subscription(&reader, &common))
    }

    package func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        subscription.write(&writer, common)
    }
}
