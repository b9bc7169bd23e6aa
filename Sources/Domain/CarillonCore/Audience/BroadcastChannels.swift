/// The address of a broadcast channel of an app at APNs.
public struct ChannelAddress: Hashable, Sendable, CustomStringConvertible {
    /// The environment of APNs in which the channel is.
    public var environment: APNsEnvironment
    /// The id that APNs gave the channel when it was created.
    public var id: ChannelID

    /// Makes the address of a channel that APNs has created, or that is assumed to exist: it is not looked up.
    public init(environment: APNsEnvironment, id: ChannelID) {
        self.environment = environment
        self.id = id
    }

    /// The address in words, such as `channel dHN0LXNyY2gtY2hubA== of production`.
    public var description: String { "channel \(id) of \(environment.name)" }
}

/// The id of a broadcast channel, as APNs has made it: opaque text in base64 (Protocol 14).
///
/// Apple documents no length. The bound keeps a row of a page, and a header, short.
public struct ChannelID: Hashable, Sendable, CustomStringConvertible {
    /// The id: 1 to 512 bytes, letters, digits, `+`, `/`, `=`, `-` and `_`.
    public let text: String

    /// The longest id, in bytes.
    public static let maximumBytes = 512

    /// Makes an id; returns nil if `text` cannot be one.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard (1...Self.maximumBytes).contains(bytes.count), bytes.allSatisfy(Self.isAllowed) else { return nil }
        self.text = text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "+/=-_".utf8.contains(byte)
    }

    /// The text of the id.
    public var description: String { text }
}

/// A page of the broadcast channels of an app in one environment (Protocol 14.3).
public struct ChannelPage: Hashable, Sendable {
    /// The id after which the next page begins; nil if this was the last.
    public var next: String?
    /// The ids of the channels, ascending by their bytes.
    public var channels: [ChannelID]

    /// Makes a page; without `next` it is the last.
    public init(next: String? = nil, channels: [ChannelID]) {
        self.next = next
        self.channels = channels
    }

    /// Makes the page of `all` that begins after `after`; empty = from the start.
    ///
    /// - Parameter limit: the most rows of the page, at least 1.
    package init(of all: [ChannelID], after: String, limit: Int) {
        let order = { (left: ChannelID, right: ChannelID) in
            left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
        }
        let following = all.filter { after.utf8.lexicographicallyPrecedes($0.text.utf8) }.sorted(by: order)
        channels = Array(following.prefix(max(1, limit)))
        next = channels.count < following.count ? channels.last?.text : nil
    }
}

/// The messages of a broadcast channel that APNs stores. The policy is chosen when the channel is created, for ever.
public enum StoragePolicy: UInt8, Hashable, Sendable, CaseIterable {
    /// No message: only devices that are connected get one. APNs allows more messages than with storage.
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
