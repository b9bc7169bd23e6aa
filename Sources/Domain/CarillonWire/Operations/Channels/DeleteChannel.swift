import CarillonCore

/// The request DELETE_CHANNEL (Protocol 14.4).
package struct DeleteChannelRequest: ChannelOperation {
    package static let opcode = Opcode.deleteChannel

    package let reference: ChannelReference

    package init(_ reference: ChannelReference) {
        self.reference = reference
    }

    package consuming func individualRequest() -> IndividualRequest { .deleteChannel(self) }
}

extension Opcode {
    package static let deleteChannel = Opcode(rawValue: 0x0093)
}

// MARK: Codec (Protocol 14.4)

extension DeleteChannelRequest {
    /// Reads the answer, which is true if there was such a channel.
    package static func readAnswer(from reader: inout PayloadReader) throws(WireError) -> Bool {
        let result = try reader.u8("result")
        try reader.finishAnswer()
        return result == 1
    }

    package static func write(_ answer: Bool, to writer: inout FrameWriter) {
        writer.u8(answer ? 1 : 2)
    }
}
