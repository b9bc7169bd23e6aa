/// The request FORGET_SUBSCRIBER (Protocol 11.5).
package struct ForgetSubscriberRequest: IndividualOperation {
    package static let opcode = Opcode.forgetSubscriber

    /// The name of the subscriber, 1 to 64 bytes; it belongs to the principal.
    package var name: String

    package init(name: String) {
        self.name = name
    }

    package consuming func individualRequest() -> IndividualRequest { .forgetSubscriber(self) }
}

extension Opcode {
    package static let forgetSubscriber = Opcode(rawValue: 0x0063)
}

// MARK: Codec (Protocol 11.5)

extension ForgetSubscriberRequest {
    private static let forgotten: UInt8 = 1
    private static let unknown: UInt8 = 2

    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(name: try reader.string("name", limits: 1...WireLimits.subscriberNameBytes))
        try common.finish(&reader)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(name)
        writer.tags(common)
    }

    /// Reads the answer, which is true if there was such a name.
    package static func readAnswer(from reader: inout PayloadReader) throws(WireError) -> Bool {
        let result = try reader.u8("result")
        try reader.finishAnswer()
        return result == forgotten
    }

    package static func write(_ answer: Bool, to writer: inout FrameWriter) {
        writer.u8(answer ? forgotten : unknown)
    }
}
