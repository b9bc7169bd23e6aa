package import CarillonCore

/// The request CHANNELS (Protocol 14.3).
package struct ChannelsRequest: IndividualOperation, AppOperation, PagedOperation {
    package static let opcode = Opcode.channels

    package var app: AppID
    package var environment: APNsEnvironment
    /// The id after which the page begins; empty = from the start.
    package var after: String
    /// The number of rows wanted, 1 to 1,000.
    package var limit: UInt32

    package init(app: AppID, environment: APNsEnvironment, after: String = "", limit: UInt32) {
        self.app = app
        self.environment = environment
        self.after = after
        self.limit = limit
    }

    package consuming func individualRequest() -> IndividualRequest { .channels(self) }
}

extension Opcode {
    package static let channels = Opcode(rawValue: 0x0092)
}

// MARK: Codec (Protocol 14.3)

extension ChannelsRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(
            app: try reader.app(),
            environment: try reader.environment(),
            after: try reader.string("after", limits: 0...ChannelID.maximumBytes),
            limit: try reader.pageLimit()
        )
        try common.finish(&reader)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.u8(environment.rawValue)
        writer.string(after)
        writer.u32(limit)
        writer.tags(common)
    }

    package static func readAnswer(from reader: inout PayloadReader) throws(WireError) -> ChannelPage {
        let next = try reader.string("next", limits: 0...ChannelID.maximumBytes)
        var channels: [ChannelID] = []
        try reader.list("channels", elementBytes: 2) { reader, _ throws(WireError) in
            channels.append(try reader.channelID("channels"))
        }
        try reader.finishAnswer()
        return ChannelPage(next: next.isEmpty ? nil : next, channels: channels)
    }

    package static func write(_ answer: ChannelPage, to writer: inout FrameWriter) {
        writer.string(answer.next ?? "")
        writer.list(answer.channels) { $0.string($1.text) }
    }
}
