/// A message that a caller wants to send (SEND, Protocol 10.1): audience, content and options.
public struct Message: Hashable, Sendable {
    /// The idempotency key; nil for none.
    public var idempotencyKey: UUIDBytes?
    /// The content: the push to each device and its options.
    public var content: MessageContent
    /// The devices that the message is for.
    public var audience: Audience
    /// A device that is left out of the audience; nil for none.
    public var excludedDevice: DeviceReference?
    /// The time after which no attempt starts; nil for none.
    public var notAfter: Timestamp?
    /// The lane in which the message is sent.
    public var lane: Lane
    /// The time at which sending starts, and the audience is resolved; nil or a past time means at once.
    public var sendAt: Timestamp?
    /// The pace: the most deliveries a second, at least 1; nil for no bound.
    public var pace: UInt32?
    /// A short description, shown in listings and in the server's log, and not sent to devices: 1 to 100 bytes without
    /// control characters; nil for none.
    public var label: String?
    /// The place of the message in a distributed trace; nil if it is in none.
    public var traceParent: TraceParent?
    /// True if the message is only checked and its audience counted: nothing is stored or sent.
    public var isDryRun: Bool

    /// The longest label, in bytes.
    package static let maximumLabelBytes = 100

    /// Makes a message that is sent at once in the interactive lane, unless arguments say otherwise.
    public init(
        idempotencyKey: UUIDBytes? = nil,
        content: MessageContent,
        audience: Audience,
        excludedDevice: DeviceReference? = nil,
        notAfter: Timestamp? = nil,
        lane: Lane = .interactive,
        sendAt: Timestamp? = nil,
        pace: UInt32? = nil,
        label: String? = nil,
        traceParent: TraceParent? = nil,
        isDryRun: Bool = false
    ) {
        self.idempotencyKey = idempotencyKey
        self.content = content
        self.audience = audience
        self.excludedDevice = excludedDevice
        self.sendAt = sendAt
        self.pace = pace
        self.label = label
        self.traceParent = traceParent
        self.isDryRun = isDryRun
        self.notAfter = notAfter
        self.lane = lane
    }
}
