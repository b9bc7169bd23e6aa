/// One attempt to deliver a message to a device, as the server remembers it (TRACE, Protocol 8.8).
public struct DeliveryAttempt: Hashable, Sendable {
    /// When the answer came, or when it was certain that none would come.
    public var at: Timestamp
    /// The number of the connection in this run of the server: the `connection` of its log lines. 0 if the push was not
    /// written.
    public var connection: UInt32
    /// The HTTP status of APNs; 0 if there was no answer.
    public var status: UInt16
    /// APNs' reason, or the server's own word for the end of a push without an answer; at most 64 bytes, empty for a
    /// success.
    public var reason: String

    /// Makes an attempt.
    public init(at: Timestamp, connection: UInt32, status: UInt16, reason: String) {
        self.at = at
        self.connection = connection
        self.status = status
        self.reason = reason
    }
}
