package import CarillonCore

/// The request CREATE_CHANNEL (Protocol 14.1).
package struct CreateChannelRequest: IndividualOperation, AppOperation {
    package static let opcode = Opcode.createChannel

    package var app: AppID
    package var environment: APNsEnvironment
    /// The messages of the channel that APNs is to store.
    package var storagePolicy: StoragePolicy

    package init(app: AppID, environment: APNsEnvironment, storagePolicy: StoragePolicy) {
        self.app = app
        self.environment = environment
        self.storagePolicy = storagePolicy
    }

    package consuming func individualRequest() -> IndividualRequest { .createChannel(self) }
}

extension Opcode {
    package static let createChannel = Opcode(rawValue: 0x0090)
}

// MARK: Codec (Protocol 14.1)

extension CreateChannelRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(
            app: try reader.app(),
            environment: try reader.environment(),
            storagePolicy: try reader.storagePolicy()
        )
        try common.finish(&reader)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.u8(environment.rawValue)
        writer.u8(storagePolicy.rawValue)
        writer.tags(common)
    }

    package static func readAnswer(from reader: inout PayloadReader) throws(WireError) -> ChannelID {
        let channel = try reader.channelID()
        try reader.finishAnswer()
        return channel
    }

    package static func write(_ answer: ChannelID, to writer: inout FrameWriter) {
        writer.string(answer.text)
    }
}
