package import CarillonCore

extension Opcode {
    package static let unsubscribe = Opcode(rawValue: 0x0031)
}

/// UNSUBSCRIBE (Protocol 7b.1).
package struct Unsubscribe: ChangeOperation {
    package static let opcode = Opcode.unsubscribe

    /// The subscriptions to end.
    package var subscription: Subscription

    /// Makes an UNSUBSCRIBE.
    package init(_ subscription: Subscription) {
        self.subscription = subscription
    }

    package var app: AppID { subscription.app }

    package static func request(for change: Change) -> Unsubscribe? {
        if case .unsubscribe(let subscription) = change { Unsubscribe(subscription) } else { nil }
    }

    package func change(at now: Timestamp) -> Change { .unsubscribe(subscription) }

    package static func answer(_ answer: ChangeAnswer) -> Answer? {
        if case .membership(let answer) = answer { MembershipChange(answer) } else { nil }
    }
}

// MARK: Codec (Protocol 7b.1)

extension Unsubscribe {
    package init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        subscription = try Subscription(&reader, &common)
    }

    package func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        subscription.write(&writer, common)
    }

    package static func readAnswer(_ reader: inout PayloadReader) throws(WireFault) -> MembershipChange {
        try MembershipChange(&reader, "changed")
    }

    package static func write(_ answer: MembershipChange, _ writer: inout FrameWriter) {
        answer.write(&writer)
    }
}
