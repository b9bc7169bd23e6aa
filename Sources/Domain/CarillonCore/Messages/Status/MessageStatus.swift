/// The status of a message (MESSAGE_STATUS, Protocol 10.2).
public struct MessageStatus: Hashable, Sendable {
    /// The state, also one that this version does not know.
    public var state: MessageState
    /// The time at which the message was accepted.
    public var acceptedAt: Timestamp
    /// The time at which the last recipient got its outcome; zero before.
    public var finishedAt: Timestamp
    /// The number of recipients.
    public var total: UInt64
    /// The number of recipients by outcome, pending ones included; the sum is `total`.
    public var outcomes: [Outcome: UInt64]
    /// The time at which sending starts; nil if the message was not scheduled.
    public var sendAt: Timestamp?
    /// The pace: the most deliveries a second; nil for no bound.
    public var pace: UInt32?
    /// The approximate number of deliveries that ended in the last second; nil unless the message is being sent.
    public var rate: UInt32?
    /// The number of devices with a receipt "received".
    public var received: UInt64
    /// The number of devices with a receipt "opened".
    public var opened: UInt64
    /// The audience as a condition; nil for a list of devices, and if it is longer than `maximumAudienceBytes`.
    public var audience: String?
    /// The label; nil if the message has none.
    public var label: String?
    /// The name of the principal that sent the message; nil if it is not known.
    public var sender: String?
    /// The place of the message in a distributed trace; nil if it is in none.
    public var traceParent: TraceParent?
    /// The pools of the app that cannot be used now, for which devices wait; empty unless the message has devices
    /// without an outcome.
    public var obstacles: [DeliveryObstacle]

    /// The longest audience that a status carries, in bytes of UTF-8: a status is asked for often.
    package static let maximumAudienceBytes = 4_096

    /// The time until the message ends at this rate, in milliseconds; nil unless it is being sent, and if the
    /// rate is 0.
    public var remainingMilliseconds: UInt64? {
        guard let rate, rate > 0, let pending = outcomes[.pending] else { return nil }
        let (product, overflow) = pending.multipliedReportingOverflow(by: 1_000)
        return overflow ? nil : product / UInt64(rate)
    }

    /// Makes the status of a message that was not scheduled and has no pace, receipts, label or obstacles.
    public init(
        state: MessageState,
        acceptedAt: Timestamp,
        finishedAt: Timestamp,
        total: UInt64,
        outcomes: [Outcome: UInt64]
    ) {
        self.state = state
        self.acceptedAt = acceptedAt
        self.finishedAt = finishedAt
        self.total = total
        self.outcomes = outcomes
        received = 0
        opened = 0
        obstacles = []
    }
}

/// The state of a message (Protocol 10.2). The set is open: a later server may have more.
public struct MessageState: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: UInt8

    /// Makes a state from its number; numbers that this version does not know are kept.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The message is accepted; no attempt has been made yet.
    public static let waiting = MessageState(rawValue: 1)
    /// Some recipients have an outcome, others do not.
    public static let sending = MessageState(rawValue: 2)
    /// Every recipient has an outcome.
    public static let finished = MessageState(rawValue: 3)
    /// The message is accepted; its time to send has not come.
    public static let scheduled = MessageState(rawValue: 4)
    /// The message was paused by an operator or a service; nothing of it is sent.
    public static let paused = MessageState(rawValue: 5)

    private static let names = ["waiting", "sending", "finished", "scheduled", "paused"]

    /// The name used in files and output; `state-N` for a number that this version does not know.
    public var name: String { isKnown ? Self.names[Int(rawValue) - 1] : "state-\(rawValue)" }

    /// True if this version knows the number.
    package var isKnown: Bool { (1...Self.names.count).contains(Int(rawValue)) }

    /// The name as in JSON and events: `sending`.
    public var description: String { name }
}
