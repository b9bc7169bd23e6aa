/// The code of a protocol error, from one list for the whole protocol (Protocol 15). The set is open: unknown numbers
/// are kept.
public struct ErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: UInt16

    /// Makes a code from its number; numbers that this version does not know are kept.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The bytes do not follow the protocol.
    public static let malformed = ErrorCode(rawValue: 1)
    /// A length above the frame limit.
    public static let frameTooLarge = ErrorCode(rawValue: 2)
    /// A major version or frame layout that the server does not know.
    public static let unsupportedVersion = ErrorCode(rawValue: 3)
    /// An opcode that the server does not serve.
    public static let unsupportedOpcode = ErrorCode(rawValue: 4)
    /// An odd, and so required, tag that the server does not know.
    public static let unsupportedField = ErrorCode(rawValue: 5)
    /// A request that the phase of the connection does not allow.
    public static let wrongPhase = ErrorCode(rawValue: 6)
    /// A request id that is 0, repeated or smaller.
    public static let badRequestID = ErrorCode(rawValue: 7)
    /// The credential is wrong or unknown.
    public static let authenticationFailed = ErrorCode(rawValue: 8)
    /// The principal lacks the role for this app.
    public static let forbidden = ErrorCode(rawValue: 9)
    /// There is no such app, device, message, subscription, channel or node.
    public static let notFound = ErrorCode(rawValue: 10)
    /// A value that the field does not allow.
    public static let invalidArgument = ErrorCode(rawValue: 11)
    /// A newer value is stored.
    public static let stale = ErrorCode(rawValue: 12)
    /// The idempotency key was used before, with another body.
    public static let idempotencyConflict = ErrorCode(rawValue: 13)
    /// A payload above the limit of its push type.
    public static let tooLarge = ErrorCode(rawValue: 14)
    /// The principal has used up its request rate.
    public static let rateLimited = ErrorCode(rawValue: 15)
    /// A queue is full.
    public static let overloaded = ErrorCode(rawValue: 16)
    /// The disk is nearly full.
    public static let storageFull = ErrorCode(rawValue: 17)
    /// The disk failed; the server stops.
    public static let storageFailed = ErrorCode(rawValue: 18)
    /// The request's deadline passed before it began.
    public static let deadline = ErrorCode(rawValue: 19)
    /// The connection takes no more requests: the server is stopping, or the client has lost its rights.
    public static let draining = ErrorCode(rawValue: 20)
    /// The client has sent PINGs faster than the server allows.
    public static let tooManyPings = ErrorCode(rawValue: 21)
    /// The connection has caused more errors than it may.
    public static let tooManyErrors = ErrorCode(rawValue: 22)
    /// A handshake, a silence or an unfinished frame took too long.
    public static let timeout = ErrorCode(rawValue: 23)
    /// A fault of the server.
    public static let `internal` = ErrorCode(rawValue: 24)
    /// The server has as many connections as it may.
    public static let tooManyConnections = ErrorCode(rawValue: 25)

    /// APNs refuses a request about a broadcast channel, which only APNs has (Protocol 14).
    public static let apnsRefused = ErrorCode(rawValue: 26)
    /// APNs gave no answer to a request about a broadcast channel, or one that says to ask again later (Protocol 14).
    public static let apnsUnavailable = ErrorCode(rawValue: 27)
    /// This node of a cluster may be behind the others: ask again later, or another node.
    public static let behind = ErrorCode(rawValue: 28)

    private static let names = [
        "MALFORMED", "FRAME_TOO_LARGE", "UNSUPPORTED_VERSION", "UNSUPPORTED_OPCODE", "UNSUPPORTED_FIELD", "WRONG_PHASE",
        "BAD_REQUEST_ID", "AUTHENTICATION_FAILED", "FORBIDDEN", "NOT_FOUND", "INVALID_ARGUMENT", "STALE",
        "IDEMPOTENCY_CONFLICT", "TOO_LARGE", "RATE_LIMITED", "OVERLOADED", "STORAGE_FULL", "STORAGE_FAILED", "DEADLINE",
        "DRAINING", "TOO_MANY_PINGS", "TOO_MANY_ERRORS", "TIMEOUT", "INTERNAL", "TOO_MANY_CONNECTIONS",
        "APNS_REFUSED", "APNS_UNAVAILABLE", "BEHIND",
    ]

    /// The name of the code in Protocol 15, or `UNKNOWN_N`.
    public var name: String {
        (1...Self.names.count).contains(Int(rawValue)) ? Self.names[Int(rawValue) - 1] : "UNKNOWN_\(rawValue)"
    }

    /// The name of the code as in the protocol: `NOT_FOUND`.
    public var description: String { name }
}

/// The scope of an error: one request or the whole connection (Protocol 15).
public enum ErrorScope: UInt8, Hashable, Sendable {
    /// The error ends one request; the connection stays open.
    case request = 0
    /// The error ends the connection.
    case connection = 1
}

/// The advice whether and when to repeat the same request (Protocol 15).
public enum RetryAdvice: Hashable, Sendable {
    /// The request must not be sent again, because it will fail again.
    case never
    /// The request may be sent again after this many milliseconds; 0 means at once.
    case after(milliseconds: UInt32)
}
