import CarillonCore

/// The request UNSUBSCRIBE_EVENTS (Protocol 11.4).
package struct UnsubscribeEventsRequest: SessionOperation {
    package typealias Answer = EmptyAnswer

    package static let opcode = Opcode.unsubscribeEvents

    /// The id of the subscription's SUBSCRIBE_EVENTS.
    package var subscription: UInt64

    package init(subscription: UInt64) {
        self.subscription = subscription
    }

    package consuming func sessionRequest() -> SessionRequest { .unsubscribeEvents(self) }
}

extension Opcode {
    package static let unsubscribeEvents = Opcode(rawValue: 0x0062)
}

// MARK: Codec (Protocol 11.4)

extension UnsubscribeEventsRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(subscription: try reader.u64("subscription"))
        try common.finish(&reader)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.u64(subscription)
        writer.tags(common)
    }
}
