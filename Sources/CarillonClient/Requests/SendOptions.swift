public import CarillonCore

/// How a message is sent: what belongs neither to its content nor to its audience.
///
/// ```swift
/// try await game.send(.alert(body: "21:00"), to: .topic("raids"), options: .init(lane: .bulk, pace: 500))
/// ```
public struct SendOptions: Hashable, Sendable {
    /// The priority at the provider; nil for the usual one of the push type.
    public var priority: Priority?
    /// The device shows only the last notification of this id.
    public var collapseID: String?
    /// Until when the provider keeps the notification for a device that it does not reach.
    public var expiration: Expiration
    /// After this time no attempt starts.
    public var notAfter: Timestamp?
    /// Whether one person waits, or many devices get the message.
    public var lane: Lane
    /// When sending starts; nil for now. The audience is resolved then.
    public var sendAt: Timestamp?
    /// The most deliveries a second; nil for no limit.
    public var pace: UInt32?
    /// What becomes of a silent push for a device that had enough of them.
    public var overBudget: OverBudget
    /// A text for the list of messages and the server's log; devices do not get it.
    public var label: String?
    /// Where the message stands in a distributed trace: the server's log, the status and events have it.
    public var traceParent: TraceParent?
    /// A name under which the app gets the id of the message in its payload, to report receipts.
    public var idKey: String?
    /// True to check everything and to count the audience; nothing is sent.
    public var isDryRun: Bool
    /// The idempotency key: sending twice with the same key sends once.
    public var key: IdempotencyKey

    /// Makes options; what is left out is as usual.
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
