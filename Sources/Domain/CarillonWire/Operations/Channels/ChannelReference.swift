package import CarillonCore

/// A request CHANNEL or DELETE_CHANNEL: they have the same payload (Protocol 14.2, 14.4).
package protocol ChannelOperation: IndividualOperation, AppOperation {
    var reference: ChannelReference { get }
    init(_ reference: ChannelReference)
}

/// A channel with its app and its environment.
package struct ChannelReference: Hashable, Sendable {
    package var app: AppID
    package var environment: APNsEnvironment
    package var channel: ChannelID
}

extension ChannelOperation {
    package var app: AppID { reference.app }
    package var environment: APNsEnvironment { reference.environment }
    package var channel: ChannelID { reference.channel }

    package init(app: AppID, environment: APNsEnvironment, channel: ChannelID) {
        self.init(ChannelReference(app: app, environment: environment, channel: channel))
    }

    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(app: try reader.app(), environment: try reader.environment(), channel: try reader.channelID())
        try common.finish(&reader)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.u8(environment.rawValue)
        writer.string(channel.text)
        writer.tags(common)
    }
}

/// Fields of broadcast channels (Protocol 14).
extension PayloadReader {
    mutating func channelID(_ field: String = "channel") throws(WireError) -> ChannelID {
        channelID(try string(field), field: field)
    }

    mutating func channelID(_ text: String, field: String) -> ChannelID {
        if let channel = ChannelID(text) { return channel }
        recordInvalid(field, because: "\(field) is not an id of 1 to \(ChannelID.maximumBytes) bytes of base64")
        return Self.placeholderChannel
    }

    /// The id that stands for a channel that is refused.
    private static let placeholderChannel: ChannelID = {
        guard let channel = ChannelID("x") else { preconditionFailure("x is not an id of a channel") }
        return channel
    }()

    mutating func storagePolicy() throws(WireError) -> StoragePolicy {
        let value = try u8("storage_policy")
        if let policy = StoragePolicy(rawValue: value) { return policy }
        recordInvalid("storage_policy", because: "storage policy \(value) is neither 1 nor 2")
        return .none
    }
}
