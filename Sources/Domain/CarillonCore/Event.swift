/// An event that subscribers receive (Protocol 11).
public struct Event: Hashable, Sendable {
    /// The kind of an event. The set is open: a later server may have more.
    public struct Kind: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
        /// The number on the wire.
        public let rawValue: UInt16

        /// Makes a kind from its number; numbers that this version does not know are kept.
        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// Every device of a message has its outcome. The event has `message`, and in `count` the number of devices.
        public static let messageFinished = Kind(rawValue: 1)
        /// A delivery ended with an outcome other than `delivered`. The event has `message`, `outcome`, and `device` if
        /// the device is registered. If more than 64 ended in one step, there is one event for each outcome, with
        /// `count` instead of `device`.
        public static let deliveryFailed = Kind(rawValue: 2)
        /// The provider has declared a token dead and the device is quarantined. The event has `device` and `outcome`.
        public static let deviceQuarantined = Kind(rawValue: 3)
        /// A device has another token. The event has `device`.
        public static let tokenReplaced = Kind(rawValue: 4)
        /// A token was valid in the other environment, and the device was moved there. The event has
        /// `device`.
        public static let deviceMoved = Kind(rawValue: 5)
        /// A message was cancelled, paused, resumed or given a pace. The event has `message`, and in `text` which of
        /// these.
        public static let messageUpdated = Kind(rawValue: 6)
        /// A connection to a provider works. `text` is the pool.
        public static let connectionUp = Kind(rawValue: 7)
        /// A connection to a provider has ended. `text` is the pool.
        public static let connectionDown = Kind(rawValue: 8)
        /// A provider has refused a credential. `text` is the pool.
        public static let credentialRefused = Kind(rawValue: 9)
        /// The provider calls too many tokens of the app bad; no device is quarantined for it. `text` is the
        /// destination: the environment of APNs, or the name of another provider.
        public static let badTokensBegan = Kind(rawValue: 10)
        /// The condition of `badTokensBegan` no longer applies. `text` is the destination: the environment of APNs, or
        /// the name of another provider.
        public static let badTokensEnded = Kind(rawValue: 11)
        /// A pool has had no connection to the provider for a while: its messages wait. `text` is the pool, and the
        /// cause of the last failure to connect after a colon.
        public static let poolUnreachable = Kind(rawValue: 12)
        /// The condition of `poolUnreachable` no longer applies. `text` is the pool.
        public static let poolReachable = Kind(rawValue: 13)

        private static let names: [Kind: String] = [
            .messageFinished: "message-finished", .deliveryFailed: "delivery-failed",
            .deviceQuarantined: "device-quarantined", .tokenReplaced: "token-replaced", .deviceMoved: "device-moved",
            .messageUpdated: "message-updated", .connectionUp: "connection-up", .connectionDown: "connection-down",
            .credentialRefused: "credential-refused", .badTokensBegan: "bad-tokens-began",
            .badTokensEnded: "bad-tokens-ended", .poolUnreachable: "pool-unreachable",
            .poolReachable: "pool-reachable",
        ]

        /// Every kind that this version knows.
        public static var all: [Kind] { names.keys.sorted() }

        /// The name used in output and flags.
        public var description: String { Self.names[self] ?? "event-\(rawValue)" }

        /// Finds the kind of that name; returns nil if no kind has it.
        public init?(name: String) {
            guard let match = Self.names.first(where: { $0.value == name })?.key else { return nil }
            self = match
        }

        /// Compares two kinds by number.
        public static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
    }

    /// The number of the event: each event of the server has a higher one; never 0.
    public var sequence: UInt64
    /// The server's time of the event.
    public var at: Timestamp
    /// The kind, which says which of the other fields the event has.
    public var kind: Kind
    /// The app that the event concerns; nil if it concerns none.
    public var app: AppID?
    /// The message; nil if the kind has none.
    public var message: MessageID?
    /// The device; nil if the kind has none.
    public var device: DeviceID?
    /// The outcome; nil if the kind has none.
    public var outcome: Outcome?
    /// The number of devices; nil if the kind has none.
    public var count: UInt64?
    /// A text of at most 255 bytes, never a secret; the kind says which text. Nil if the kind has none.
    public var text: String?

    /// The place of the event's message in a distributed trace; nil if the message is in no trace, or is gone. It is
    /// read with the event, and not stored with it.
    public var traceParent: TraceParent?

    /// Makes an event; the registry assigns its number.
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
