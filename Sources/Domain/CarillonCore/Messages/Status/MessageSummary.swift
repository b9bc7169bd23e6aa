/// A message in a listing.
public struct MessageSummary: Hashable, Sendable {
    /// The server's number for the message.
    public var id: MessageID
    /// The state, also one that this version does not know.
    public var state: MessageState
    /// The time at which the message was accepted.
    public var acceptedAt: Timestamp
    /// The push type of the content.
    public var pushType: PushType
    /// The lane in which the message is sent.
    public var lane: Lane
    /// The number of recipients.
    public var total: UInt64
    /// The number of recipients that have an outcome.
    public var ended: UInt64
    /// The number of recipients that the message was delivered to; nil if the server does not report it.
    public var delivered: UInt64?
    /// The number of recipients with another outcome; nil if the server does not report it.
    public var failed: UInt64?
    /// The label; nil if the message has none.
    public var label: String?
    /// The name of the principal that sent the message; nil if it is not known.
    public var sender: String?

    /// Makes a row; facts that are not given are nil.
    public init(
        id: MessageID, state: MessageState, acceptedAt: Timestamp, pushType: PushType, lane: Lane, total: UInt64,
        ended: UInt64, delivered: UInt64? = nil, failed: UInt64? = nil, label: String? = nil, sender: String? = nil
    ) {
        self.id = id
        self.state = state
        self.acceptedAt = acceptedAt
        self.pushType = pushType
        self.lane = lane
        self.total = total
        self.ended = ended
        self.delivered = delivered
        self.failed = failed
        self.label = label
        self.sender = sender
    }
}
