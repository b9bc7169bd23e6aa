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
    /// The collapse id. Of the notifications with the same id, the device shows only the last.
    public var collapseID: String?
    /// How long the provider keeps the notification for a device that it cannot reach.
    public var expiration: Expiration
    /// The time after which no attempt starts; nil for no such time.
    public var notAfter: Timestamp?
    /// The lane: interactive if a person waits for the message, bulk if it goes to many devices.
    public var lane: Lane
    /// The time at which sending starts; nil for now. The audience is resolved then.
    public var sendAt: Timestamp?
    /// The maximum number of deliveries a second; nil for no limit.
    public var pace: UInt32?
    /// Says what happens to a silent push that would exceed the device's silent-push budget.
    public var overBudget: OverBudget
    /// A text that the list of messages and the server's log show. Devices do not get it.
    public var label: String?
    /// The place of the message in a distributed trace. The server's log, the status and events show it.
    public var traceParent: TraceParent?
    /// The key under which the payload has the id of the message, so that the app can report receipts.
    public var idKey: String?
    /// True if the server only checks the message and counts the audience, and sends nothing.
    public var isDryRun: Bool
    /// The idempotency key: sending twice with the same key sends once.
    public var key: IdempotencyKey

    /// Makes options. Those that you leave out have their usual values.
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
    /// Returns the time `duration` from now, by the clock of this machine.
    ///
    /// Example: `SendOptions(sendAt: .fromNow(.seconds(3_600)))`.
    public static func fromNow(_ duration: Duration) -> Timestamp {
        Clock.wallTime().later(byMilliseconds: duration.milliseconds)
    }
}
