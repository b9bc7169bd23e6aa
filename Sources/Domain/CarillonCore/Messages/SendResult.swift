/// The answer to SEND: the message is accepted (Protocol 10.1).
public struct SendResult: Hashable, Sendable {
    /// The server's number for the message; of a duplicate, that of the first message.
    public var id: MessageID
    /// True if the server knew the idempotency key, and so repeats its first answer.
    public var isDuplicate: Bool
    /// The number of recipients; 0 if they are not counted.
    public var total: UInt32
    /// The number of recipients that had an outcome at once.
    public var ended: UInt32
    /// False if counting the audience takes long, and is left to `MessageReads.audienceCount(of:)`.
    package var isCounted = true

    /// Makes an acceptance whose audience is counted.
    public init(id: MessageID, isDuplicate: Bool, total: UInt32, ended: UInt32) {
        self.id = id
        self.isDuplicate = isDuplicate
        self.total = total
        self.ended = ended
    }
}
