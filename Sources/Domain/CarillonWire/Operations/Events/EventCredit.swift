import CarillonCore

/// The request EVENT_CREDIT (Protocol 11.3).
package struct EventCreditRequest: SessionOperation {
    package typealias Answer = EmptyAnswer

    package static let opcode = Opcode.eventCredit

    /// The id of the subscription's SUBSCRIBE_EVENTS.
    package var subscription: UInt64
    /// The number of event frames that the server may send on the subscription in all; a smaller number than before
    /// changes nothing.
    package var totalCredit: UInt64
    /// The number up to which everything is acknowledged; 0 = nothing new.
    package var acknowledgedUpTo: UInt64

    package init(subscription: UInt64, totalCredit: UInt64, acknowledgedUpTo: UInt64 = 0) {
        self.subscription = subscription
        self.totalCredit = totalCredit
        self.acknowledgedUpTo = acknowledgedUpTo
    }

    package consuming func sessionRequest() -> SessionRequest { .eventCredit(self) }
}

extension Opcode {
    package static let eventCredit = Opcode(rawValue: 0x0061)
}

// MARK: Codec (Protocol 11.3)

extension EventCreditRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(
            subscription: try reader.u64("subscription"),
            totalCredit: try reader.u64("credit"),
            acknowledgedUpTo: try reader.u64("ack")
        )
        try common.finish(&reader)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.u64(subscription)
        writer.u64(totalCredit)
        writer.u64(acknowledgedUpTo)
        writer.tags(common)
    }
}
