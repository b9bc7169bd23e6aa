/// The messages of a broadcast channel that APNs stores. The policy is chosen when the channel is created, for ever.
public enum StoragePolicy: UInt8, Hashable, Sendable, CaseIterable {
    /// No message: only devices that are connected get one. APNs allows more messages of such a channel.
    case none = 1
    /// The latest message, for 8 hours at most: a device that connects later gets it.
    case mostRecent = 2

    /// The name used in flags, output and JSON.
    public var name: String {
        switch self {
        case .none: "none"
        case .mostRecent: "most-recent"
        }
    }

    /// Finds the policy of that name; returns nil if no policy has it.
    public init?(name: String) {
        guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = match
    }
}
