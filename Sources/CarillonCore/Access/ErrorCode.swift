/// What went wrong, in one register for the whole protocol (Protocol 9). An open set: unknown numbers survive.
public struct ErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: UInt16

    /// Makes a code of its number.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Bytes that are not as the protocol says.
    public static let malformed = ErrorCode(rawValue: 1)
    /// A length above the frame limit.
    public static let frameTooLarge = ErrorCode(rawValue: 2)
    /// Major version or layout not spoken.
    public static let unsupportedVersion = ErrorCode(rawValue: 3)
    /// An opcode that the server does not serve.
    public static let unsupportedOpcode = ErrorCode(rawValue: 4)
    /// An odd tag that the server does not know.
    public static let unsupportedField = ErrorCode(rawValue: 5)
    /// A request that the phase of the connection does not allow.
    public static let wrongPhase = ErrorCode(rawValue: 6)
    /// A request id that is 0, repeated or smaller.
    public static let badRequestID = ErrorCode(rawValue: 7)
    /// The credential is not good.
    public static let authenticationFailed = ErrorCode(rawValue: 8)
    /// The principal lacks the role for this app.
    public static let forbidden = ErrorCode(rawValue: 9)
    /// There is no such app, device or message.
    public static let notFound = ErrorCode(rawValue: 10)
    /// A value outside what the field allows.
    public static let invalidArgument = ErrorCode(rawValue: 11)
    /// Something newer is stored.
    public static let stale = ErrorCode(rawValue: 12)
    /// Same idempotency key, other body.
    public static let idempotencyConflict = ErrorCode(rawValue: 13)
    /// A payload above the limit of its push type.
    public static let tooLarge = ErrorCode(rawValue: 14)
    /// The principal's budget is spent.
    public static let rateLimited = ErrorCode(rawValue: 15)
    /// A queue is full.
    public static let overloaded = ErrorCode(rawValue: 16)
    /// Refused before the disk is full.
    public static let storageFull = ErrorCode(rawValue: 17)
    /// The disk failed; the server stops.
    public static let storageFailed = ErrorCode(rawValue: 18)
    /// The request's deadline passed before it began.
    public static let deadline = ErrorCode(rawValue: 19)
    /// The server is stopping.
    public static let draining = ErrorCode(rawValue: 20)
    /// Pings faster than the server allows.
    public static let tooManyPings = ErrorCode(rawValue: 21)
    /// The budget of errors of a connection is spent.
    public static let tooManyErrors = ErrorCode(rawValue: 22)
    /// Handshake, silence, or a frame that does not come to an end.
    public static let timeout = ErrorCode(rawValue: 23)
    /// A fault of the server.
    public static let `internal` = ErrorCode(rawValue: 24)
    /// More connections than the server takes.
    public static let tooManyConnections = ErrorCode(rawValue: 25)

    private static let names = [
        "MALFORMED", "FRAME_TOO_LARGE", "UNSUPPORTED_VERSION", "UNSUPPORTED_OPCODE", "UNSUPPORTED_FIELD", "WRONG_PHASE",
        "BAD_REQUEST_ID", "AUTHENTICATION_FAILED", "FORBIDDEN", "NOT_FOUND", "INVALID_ARGUMENT", "STALE",
        "IDEMPOTENCY_CONFLICT", "TOO_LARGE", "RATE_LIMITED", "OVERLOADED", "STORAGE_FULL", "STORAGE_FAILED", "DEADLINE",
        "DRAINING", "TOO_MANY_PINGS", "TOO_MANY_ERRORS", "TIMEOUT", "INTERNAL", "TOO_MANY_CONNECTIONS",
    ]

    /// The name of Protocol 9, or `ERROR_N`.
    public var name: String {
        (1...Self.names.count).contains(Int(rawValue)) ? Self.names[Int(rawValue) - 1] : "ERROR_\(rawValue)"
    }

    /// The name.
    public var description: String { name }
}

/// What an error ends (Protocol 9).
public enum ErrorScope: UInt8, Hashable, Sendable {
    /// One request; the connection goes on.
    case request = 0
    /// The connection.
    case connection = 1
}

/// Whether the request took effect (Protocol 9).
public enum Effect: UInt8, Hashable, Sendable {
    /// It certainly did not.
    case notExecuted = 0
    /// It may have.
    case unknown = 1
    /// It did.
    case executed = 2
}

/// When the same request may be made again (Protocol 9).
public enum RetryAdvice: Hashable, Sendable {
    /// Never: it will fail again.
    case never
    /// After that many milliseconds; 0 = at once.
    case after(milliseconds: UInt32)
}
