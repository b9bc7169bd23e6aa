package import CarillonCore

/// The request CHANNEL (Protocol 14.2).
package struct ChannelRequest: ChannelOperation {
    package static let opcode = Opcode.channel

    package let reference: ChannelReference

    package init(_ reference: ChannelReference) {
        self.reference = reference
    }

    package consuming func individualRequest() -> IndividualRequest { .channel(self) }
}

extension Opcode {
    package static let channel = Opcode(rawValue: 0x0091)
}

// MARK: Codec (Protocol 14.2)

extension ChannelRequest {
    package static func readAnswer(from reader: inout PayloadReader) throws(WireError) -> StoragePolicy {
        let policy = try reader.storagePolicy()
        try reader.finishAnswer()
        return policy
    }

    package static func write(_ answer: StoragePolicy, to writer: inout FrameWriter) {
        writer.u8(answer.rawValue)
    }
}
