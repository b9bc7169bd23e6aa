package import CarillonCore

/// A request CHANNEL or DELETE_CHANNEL: they have the same payload (Protocol 14.2, 14.4).
package protocol ChannelOperation: DirectOperation, AppOperation {
    /// The channel that the request is about.
    var reference: ChannelReference { get }
    /// Makes the request with these fields.
    init(_ reference: ChannelReference)
}

/// A channel with its app and its environment.
package struct ChannelReference: Hashable, Sendable {
    package var app: AppID
    /// The environment of APNs in which the channel is.
    package var environment: APNsEnvironment
    package var channel: ChannelID
}

extension ChannelOperation {
    package var app: AppID { reference.app }
    package var environment: APNsEnvironment { reference.environment }
    package var channel: ChannelID { reference.channel }

    /// Makes the fields of a request about a channel.
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
