package import CarillonCore

extension Opcode {
    package static let subscribe = Opcode(rawValue: 0x0030)
}

/// SUBSCRIBE (Protocol 7b.1).
package struct Subscribe: ChangeOperation {
    package static let opcode = Opcode.subscribe

    /// The subscriptions to make.
    package var subscription: Subscription

    /// Makes a SUBSCRIBE.
    package init(_ subscription: Subscription) {
        self.subscription = subscription
    }

    package var app: AppID { subscription.app }

    package static func request(for change: Change) -> Subscribe? {
        if case .subscribe(let subscription) = change { Subscribe(subscription) } else { nil }
    }

    package func change(at now: Timestamp) -> Change { .subscribe(subscription) }

    package static func answer(_ answer: ChangeAnswer) -> Answer? {
        if case .membership(let answer) = answer { MembershipChange(answer) } else { nil }
    }
}

// MARK: Codec (Protocol 7b.1)

extension Subscribe {
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
