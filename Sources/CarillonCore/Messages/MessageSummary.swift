/// A message in a listing.
public struct MessageSummary: Hashable, Sendable {
    /// The message.
    public var id: MessageID
    /// The state.
    public var state: MessageState
    /// When it was accepted.
    public var acceptedAt: Timestamp
    /// The kind of push.
    public var pushType: PushType
    /// The lane.
    public var lane: Lane
    /// The number of recipients.
    public var total: UInt64
    /// Of these, the number that have an outcome.
    public var ended: UInt64

    /// Makes a row.
    public init(
        id: MessageID, state: MessageState, acceptedAt: Timestamp, pushType: PushType, lane: Lane, total: UInt64,
        ended: UInt64
    ) {
        self.id = id
        self.state = state
        self.acceptedAt = acceptedAt
        self.pushType = pushType
        self.lane = lane
        self.total = total
        self.ended = ended
    }
}
