package import CarillonCore

extension Opcode {
    package static let deleteChannel = Opcode(rawValue: 0x0093)
}

/// DELETE_CHANNEL (Protocol 8d.4).
package struct DeleteChannelRequest: MessageOperation, AppOperation {
    package static let opcode = Opcode.deleteChannel

    /// The app.
    package var app: AppID
    /// Which APNs.
    package var environment: Environment
    /// The channel.
    package var channel: ChannelID

    /// Makes a DELETE_CHANNEL.
    package init(app: AppID, environment: Environment, channel: ChannelID) {
        self.app = app
        self.environment = environment
        self.channel = channel
    }

    package consuming func messageRequest() -> MessageRequest { .deleteChannel(self) }
}

// MARK: Codec (Protocol 8d.4)

extension DeleteChannelRequest {
    package init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(
            app: try reader.app(),
            environment: try reader.environment(),
            channel: try reader.channelID()
        )
        try common.finish(&reader)
    }

    package func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.u8(environment.rawValue)
        writer.string(channel.text)
        writer.tags(common)
    }

    /// The answer is true if there was such a channel.
    package static func readAnswer(_ reader: inout PayloadReader) throws(WireFault) -> Bool {
        let result = try reader.u8("result")
        try reader.finishAnswer()
        return result == 1
    }

    package static func write(_ answer: Bool, _ writer: inout FrameWriter) {
        writer.u8(answer ? 1 : 2)
    }
}
