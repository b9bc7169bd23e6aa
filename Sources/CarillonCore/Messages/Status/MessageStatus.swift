/// The state of a message (Protocol 8.2). An open set: a later server may have more.
public struct MessageState: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: UInt8

    /// Makes a state from its number; numbers that this version does not know are kept.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Accepted; no attempt has been made yet.
    public static let waiting = MessageState(rawValue: 1)
    /// Some recipients have an outcome, others do not.
    public static let sending = MessageState(rawValue: 2)
    /// Every recipient has an outcome.
    public static let finished = MessageState(rawValue: 3)
    /// Accepted; its time to send has not come.
    public static let scheduled = MessageState(rawValue: 4)
    /// An operator or service has paused it; nothing of it is sent.
    public static let paused = MessageState(rawValue: 5)

    private static let names = ["waiting", "sending", "finished", "scheduled", "paused"]

    /// The name used in files and output; `state-N` for a number that this version does not know.
    public var name: String { isKnown ? Self.names[Int(rawValue) - 1] : "state-\(rawValue)" }

    /// True if this version knows the number.
    package var isKnown: Bool { (1...Self.names.count).contains(Int(rawValue)) }

    /// The name as in JSON and events: `sending`.
    public var description: String { name }
}

/// The status of a message (MESSAGE_STATUS, Protocol 8.2).
public struct MessageStatus: Hashable, Sendable {
    /// Where the message stands.
    public var state: MessageState
    /// When it was accepted.
    public var acceptedAt: Timestamp
    /// When the last recipient got its outcome; zero before.
    public var finishedAt: Timestamp
    /// The number of recipients.
    public var total: UInt64
    /// The number of recipients by outcome, pending ones included; the sum is `total`.
    public var outcomes: [Outcome: UInt64]
    /// When sending starts; nil if the message was not scheduled.
    public var sendAt: Timestamp?
    /// The pace: the most deliveries a second; nil if there is no bound.
    public var pace: UInt32?
    /// Deliveries that ended in the last second, approximately; nil unless the message is being sent.
    public var rate: UInt32?
    /// The number of devices with a receipt "received".
    public var received: UInt64
    /// The number of devices with a receipt "opened".
    public var opened: UInt64
    /// The audience as a condition; nil for a list of devices, and if it is longer than `audienceBytes`.
    public var audience: String?
    /// The label; nil if there is none.
    public var label: String?
    /// The name of the principal that sent it; nil if it is not known, because the message or the server is older than
    /// version 1.3 of the protocol.
    public var sender: String?
    /// Where the message stands in a distributed trace; nil if it is in none.
    public var traceParent: TraceParent?
    /// Why devices wait: the pools of the app that cannot be used now; empty unless the message has devices without an
    /// outcome.
    public var obstacles: [DeliveryObstacle]

    /// The longest audience that a status carries, in bytes of UTF-8: a status is asked for often.
    package static let audienceBytes = 4_096

    /// Milliseconds until the message ends at this rate; nil unless it is being sent.
    public var remainingMilliseconds: UInt64? {
        guard let rate, rate > 0, let pending = outcomes[.pending] else { return nil }
        let (product, overflow) = pending.multipliedReportingOverflow(by: 1_000)
        return overflow ? nil : product / UInt64(rate)
    }

    /// A status without what older servers do not say, unless it is given.
    public init(
        state: MessageState,
        acceptedAt: Timestamp,
        finishedAt: Timestamp,
        total: UInt64,
        outcomes: [Outcome: UInt64],
        sendAt: Timestamp? = nil,
        pace: UInt32? = nil,
        rate: UInt32? = nil,
        received: UInt64 = 0,
        opened: UInt64 = 0,
        audience: String? = nil,
        label: String? = nil,
        sender: String? = nil,
        traceParent: TraceParent? = nil,
        obstacles: [DeliveryObstacle] = []
    ) {
        self.state = state
        self.acceptedAt = acceptedAt
        self.finishedAt = finishedAt
        self.total = total
        self.outcomes = outcomes
        self.sendAt = sendAt
        self.pace = pace
        self.rate = rate
        self.received = received
        self.opened = opened
        self.audience = audience
        self.label = label
        self.sender = sender
        self.traceParent = traceParent
        self.obstacles = obstacles
    }
}
