/// Something that has happened, as subscribers are told (Protocol, events).
public struct Event: Hashable, Sendable {
    /// What has happened. An open set: a later server may know more.
    public struct Kind: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
        /// The number on the wire.
        public let rawValue: UInt16

        /// Makes a kind of its number.
        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// Every device of a message has its outcome. `message`, `count` = devices.
        public static let messageFinished = Kind(rawValue: 1)
        /// A device of a message ended otherwise than delivered. `message`, `outcome`, and `device` if it is registered; or, if
        /// more than 64 ended in one step, one event for each outcome with `count` in the place of `device`.
        public static let deliveryFailed = Kind(rawValue: 2)
        /// APNs has declared a token dead, the device is quarantined. `device`, `outcome`.
        public static let deviceQuarantined = Kind(rawValue: 3)
        /// A device has another token. `device`.
        public static let tokenReplaced = Kind(rawValue: 4)
        /// A token was good in the other environment, the device was moved there. `device`.
        public static let deviceMoved = Kind(rawValue: 5)
        /// A message was cancelled, paused, resumed or paced. `message`, `text` = which.
        public static let messageUpdated = Kind(rawValue: 6)
        /// A connection to APNs works. `text` = the pool.
        public static let connectionUp = Kind(rawValue: 7)
        /// A connection to APNs has ended. `text` = the pool.
        public static let connectionDown = Kind(rawValue: 8)
        /// APNs has refused a credential. `text` = the pool.
        public static let credentialRefused = Kind(rawValue: 9)
        /// APNs calls too many tokens of the app bad; nobody is quarantined for it. `text` = the environment.
        public static let badTokensBegan = Kind(rawValue: 10)
        /// That is over. `text` = the environment.
        public static let badTokensEnded = Kind(rawValue: 11)

        private static let names: [Kind: String] = [
            .messageFinished: "message-finished", .deliveryFailed: "delivery-failed",
            .deviceQuarantined: "device-quarantined", .tokenReplaced: "token-replaced", .deviceMoved: "device-moved",
            .messageUpdated: "message-steered", .connectionUp: "connection-up", .connectionDown: "connection-down",
            .credentialRefused: "credential-refused", .badTokensBegan: "bad-tokens-began",
            .badTokensEnded: "bad-tokens-ended",
        ]

        /// Every kind that this version knows.
        public static var all: [Kind] { names.keys.sorted() }

        /// The name used in output and flags.
        public var description: String { Self.names[self] ?? "event-\(rawValue)" }

        /// The kind of that name, or nothing.
        public init?(name: String) {
            guard let match = Self.names.first(where: { $0.value == name })?.key else { return nil }
            self = match
        }

        /// Orders by number.
        public static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
    }

    /// Its number; grows with each event of the server, never 0.
    public var sequence: UInt64
    /// When it happened.
    public var at: Timestamp
    /// What has happened.
    public var kind: Kind
    /// The app that it concerns, if it concerns one.
    public var app: AppID?
    /// The message, where the kind says so.
    public var message: MessageID?
    /// The device, where the kind says so.
    public var device: DeviceID?
    /// The outcome, where the kind says so.
    public var outcome: Outcome?
    /// How many, where the kind says so.
    public var count: UInt64?
    /// A word, where the kind says so; at most 255 bytes, never a secret.
    public var text: String?

    /// Makes an event; the registry gives it its number.
    public init(
        sequence: UInt64 = 0,
        at: Timestamp,
        kind: Kind,
        app: AppID? = nil,
        message: MessageID? = nil,
        device: DeviceID? = nil,
        outcome: Outcome? = nil,
        count: UInt64? = nil,
        text: String? = nil
    ) {
        self.sequence = sequence
        self.at = at
        self.kind = kind
        self.app = app
        self.message = message
        self.device = device
        self.outcome = outcome
        self.count = count
        self.text = text
    }
}
