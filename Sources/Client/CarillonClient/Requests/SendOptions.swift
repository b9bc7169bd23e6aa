import CarillonClock
public import CarillonCore

/// The options of a message that belong neither to its content nor to its audience.
///
/// ```swift
/// try await game.send(.alert(body: "21:00"), to: .topic("raids"), options: .init(lane: .bulk, pace: 500))
/// ```
public struct SendOptions: Hashable, Sendable {
    /// The priority at the provider; nil for the usual one of the push type.
    public var priority: Priority?
    /// The collapse id; the device shows only the last notification of the same id.
    public var collapseID: String?
    /// The time until which the provider keeps the notification for a device that it does not reach.
    public var expiration: Expiration
    /// The time after which no attempt starts; nil for no such time.
    public var notAfter: Timestamp?
    /// The lane: one person waits, or many devices get the message.
    public var lane: Lane
    /// The time at which sending starts; nil for now. The audience is resolved then.
    public var sendAt: Timestamp?
    /// The maximum number of deliveries a second; nil for no limit.
    public var pace: UInt32?
    /// The treatment of a silent push that would exceed the device's silent-push budget.
    public var overBudget: OverBudget
    /// A text for the list of messages and the server's log; devices do not get it.
    public var label: String?
    /// The place of the message in a distributed trace: the server's log, the status and events have it.
    public var traceParent: TraceParent?
    /// A name under which the app gets the id of the message in its payload, to report receipts.
    public var idKey: String?
    /// True if the server only checks the message and counts the audience, and sends nothing.
    public var isDryRun: Bool
    /// The idempotency key: sending twice with the same key sends once.
    public var key: IdempotencyKey

    /// Makes options; those that are left out have their usual values. A call names the few that it needs.
    public init(
        priority: Priority? = nil,
        collapseID: String? = nil,
        expiration: Expiration = .unspecified,
        notAfter: Timestamp? = nil,
        lane: Lane = .interactive,
        sendAt: Timestamp? = nil,
        pace: UInt32? = nil,
        overBudget: OverBudget = .drop,
        label: String? = nil,
        traceParent: TraceParent? = nil,
        idKey: String? = nil,
        isDryRun: Bool = false,
        key: IdempotencyKey = .random
    ) {
        self.priority = priority
        self.collapseID = collapseID
        self.expiration = expiration
        self.notAfter = notAfter
        self.lane = lane
        self.sendAt = sendAt
        self.pace = pace
        self.overBudget = overBudget
        self.label = label
        self.traceParent = traceParent
        self.idKey = idKey
        self.isDryRun = isDryRun
        self.key = key
    }
}

/// Times relative to now.
extension Timestamp {
    /// Returns the time so long from now, by the clock of this machine, as in
    /// `SendOptions(sendAt: .fromNow(.seconds(3_600)))`.
    public static func fromNow(_ duration: Duration) -> Timestamp {
        Clock.wallTime().later(byMilliseconds: duration.milliseconds)
    }
}
