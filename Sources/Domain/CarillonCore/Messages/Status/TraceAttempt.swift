/// One attempt to deliver a message to a device, as the server remembers it (TRACE, Protocol 10.8).
public struct TraceAttempt: Hashable, Sendable {
    /// The time at which the answer came, or at which it was certain that none would come.
    public var endedAt: Timestamp
    /// The number of the connection in this run of the server, the `connection` of its log lines; 0 if the push was not
    /// written.
    public var connectionNumber: UInt32
    /// The HTTP status of the provider; 0 if there was no answer.
    public var status: UInt16
    /// The provider's reason, or the server's own word for the end of a push without an answer; at most 64 bytes, empty
    /// for a success.
    public var reason: String
    /// The id that APNs gave to the push (`apns-unique-id`), by which its console finds it; nil if it gave none. APNs
    /// gives an id in the sandbox, and to broadcast pushes everywhere.
    public var uniqueID: String?

    /// The longest id that is kept, in bytes.
    package static let maximumUniqueIDBytes = 64

    /// Makes a record of an attempt. It does not check the bounds of the texts.
    public init(
        endedAt: Timestamp, connectionNumber: UInt32, status: UInt16, reason: String, uniqueID: String? = nil
    ) {
        self.endedAt = endedAt
        self.connectionNumber = connectionNumber
        self.status = status
        self.reason = reason
        self.uniqueID = uniqueID
    }

    /// Reads an `apns-unique-id`; returns nil if it is empty, too long, or not printable ASCII without blanks.
    package static func uniqueID(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard (1...maximumUniqueIDBytes).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
