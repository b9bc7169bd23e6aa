package import CarillonCore

extension Opcode {
    package static let channel = Opcode(rawValue: 0x0091)
}

/// CHANNEL (Protocol 8d.2).
package struct ChannelRequest: MessageOperation, AppOperation {
    package static let opcode = Opcode.channel

    /// The app.
    package var app: AppID
    /// Which APNs.
    package var environment: Environment
    /// The channel.
    package var channel: ChannelID

    /// Makes a CHANNEL.
    package init(app: AppID, environment: Environment, channel: ChannelID) {
        self.app = app
        self.environment = environment
        self.channel = channel
    }

    package consuming func messageRequest() -> MessageRequest { .channel(self) }
}

// MARK: Codec (Protocol 8d.2)

extension ChannelRequest {
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

    package static func readAnswer(_ reader: inout PayloadReader) throws(WireFault) -> StoragePolicy {
        let policy = try reader.storagePolicy()
        try reader.finishAnswer()
        return policy
    }

    package static func write(_ answer: StoragePolicy, _ writer: inout FrameWriter) {
        writer.u8(answer.rawValue)
    }
}
