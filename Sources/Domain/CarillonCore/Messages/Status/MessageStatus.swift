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
