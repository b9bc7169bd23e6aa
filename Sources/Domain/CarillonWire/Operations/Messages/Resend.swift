package import CarillonCore

/// The request RESEND (Protocol 10.7).
extension ResendRequest: IndividualOperation, AppOperation {
    package typealias Answer = SendResult

    package static let opcode = Opcode.resend

    package var isRepeatable: Bool { idempotencyKey?.nonzero != nil }

    package consuming func individualRequest() -> IndividualRequest { .resend(self) }
}

extension Opcode {
    package static let resend = Opcode(rawValue: 0x0055)
}

// MARK: Codec (Protocol 10.7)

extension ResendRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(
            app: try reader.app(),
            id: try reader.messageID(),
            idempotencyKey: try reader.uuid("key").nonzero,
            outcomes: try reader.items("outcomes", counts: 0...WireLimits.resendOutcomes, elementBytes: 1) {
                reader throws(WireError) in
                let outcome = Outcome(rawValue: try reader.u8("outcomes"))
                if outcome == .pending || outcome == .delivered {
                    reader.recordInvalid("outcomes", because: "\(outcome.name) is nothing to send again for")
                }
                return outcome
            }
        )
        var notAfter: Timestamp?
        try reader.finish { reader, tag, value throws(WireError) in
            guard tag == SendTag.notAfter else { return try common.read(tag, value: value, with: reader) }
            notAfter = try reader.time(of: value, field: "not_after")
            return true
        }
        self.notAfter = notAfter
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.u64(id.rawValue)
        writer.uuid(idempotencyKey ?? .zero)
        writer.list(outcomes) { $0.u8($1.rawValue) }
        writer.tags(common.fields + [FrameWriter.field(SendTag.notAfter, notAfter?.milliseconds)])
    }
}
