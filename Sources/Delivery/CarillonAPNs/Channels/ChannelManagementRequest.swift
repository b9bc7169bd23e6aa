package import CarillonCore
package import CarillonProvider

/// A request of APNs' channel management, and the answer that it asks for.
package enum ChannelManagementRequest: Hashable, Sendable {
    /// Create a channel. Do not repeat this request: APNs would create another one.
    case create(StoragePolicy)
    /// Read the storage policy of a channel.
    case read(ChannelID)
    /// List the channels of an app, at most 10,000.
    case list
    case delete(ChannelID)

    package var method: String {
        switch self {
        case .create: "POST"
        case .read, .list: "GET"
        case .delete: "DELETE"
        }
    }

    /// Returns the value of `:path`: the bundle id has no suffix.
    package func path(for app: AppID) -> String {
        switch self {
        case .create, .read, .delete: "/1/apps/\(app)/channels"
        case .list: "/1/apps/\(app)/all-channels"
        }
    }

    /// The headers beside the pseudo-headers and `authorization`, in the order of sending.
    package var headers: [SharedRequest.Header] {
        switch self {
        case .create: [SharedRequest.Header(name: "content-type", value: "application/json", isIndexed: true)]
        case .read(let channel), .delete(let channel):
            [SharedRequest.Header(name: "apns-channel-id", value: channel.text, isIndexed: false)]
        case .list: []
        }
    }

    /// The body; empty if the request has none.
    package var body: [UInt8] {
        guard case .create(let policy) = self else { return [] }
        return Array("{\"message-storage-policy\":\(policy.apnsNumber),\"push-type\":\"LiveActivity\"}".utf8)
    }
}

extension StoragePolicy {
    /// The number of the policy in APNs' requests.
    var apnsNumber: Int {
        switch self {
        case .none: 0
        case .mostRecent: 1
        }
    }

    /// Finds the policy by APNs' number; nil if no policy has it.
    init?(apnsNumber: Double) {
        guard let policy = Self.allCases.first(where: { Double($0.apnsNumber) == apnsNumber }) else { return nil }
        self = policy
    }
}
