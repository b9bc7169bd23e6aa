package import CarillonCore

/// The answer of APNs to a request of channel management.
package enum ChannelAnswer: Hashable, Sendable {
    case created(ChannelID)
    case policy(StoragePolicy)
    /// All channels of the app, in the order of APNs.
    case channels([ChannelID])
    case deleted

    /// The largest body that is read, in bytes: 10,000 ids of 200 bytes.
    package static let maximumBodyBytes = 2 << 20

    /// Reads an answer of success; nil if the answer lacks what the request asks for.
    ///
    /// - Parameter channelID: the header `apns-channel-id`; nil if the answer has none.
    init?(to request: ChannelManagementRequest, channelID: String?, body: UnsafeRawBufferPointer) {
        switch request {
        case .create:
            guard let channel = channelID.flatMap(ChannelID.init) else { return nil }
            self = .created(channel)
        case .delete: self = .deleted
        case .read:
            guard let number = Self.members(of: body)?["message-storage-policy"]?.double,
                let policy = StoragePolicy(apnsNumber: number)
            else { return nil }
            self = .policy(policy)
        case .list:
            guard case .array(let elements) = Self.members(of: body)?["channels"] else { return nil }
            let channels = elements.compactMap { $0.string.flatMap(ChannelID.init) }
            guard channels.count == elements.count else { return nil }
            self = .channels(channels)
        }
    }

    /// Returns the members of the object. Some services between Carillon and APNs answer with a bare array, which
    /// counts as `{"channels": body}`.
    private static func members(of body: UnsafeRawBufferPointer) -> [String: JSONValue]? {
        guard body.count <= maximumBodyBytes else { return nil }
        var bytes = Array(body)
        if bytes.first == UInt8(ascii: "[") { bytes = Array("{\"channels\":".utf8) + bytes + [UInt8(ascii: "}")] }
        // Why try?: a body that is not JSON says nothing, so the status decides.
        return try? JSONObjectParser.parse(bytes)
    }
}
