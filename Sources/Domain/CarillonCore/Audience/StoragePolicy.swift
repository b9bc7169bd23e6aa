/// The storage policy of a broadcast channel: which messages APNs stores. It is chosen when the channel is created, and
/// cannot be changed.
public enum StoragePolicy: UInt8, Hashable, Sendable, CaseIterable {
    /// No message is stored: only devices that are connected get it. APNs allows more messages to such a channel.
    case none = 1
    /// The latest message is stored for up to 8 hours: a device that connects later gets it.
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
