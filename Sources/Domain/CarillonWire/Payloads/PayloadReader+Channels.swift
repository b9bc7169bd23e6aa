import CarillonCore

/// Fields of broadcast channels (Protocol 14).
extension PayloadReader {
    mutating func channelID(_ field: String = "channel") throws(WireError) -> ChannelID {
        channelID(try string(field), field: field)
    }

    /// Returns the channel that a text names.
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
