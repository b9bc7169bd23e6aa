import CarillonCore

/// A status of HTTP, and the errors that are answered with it.
///
/// One table says which error has which status. The errors of the gateway take their status from it, the OpenAPI
/// document describes it, and a test compares it with the table on the page HTTP.
struct ErrorStatus: Sendable {
    let status: Int
    /// The codes whose errors have the status.
    let codes: [String]
    /// The errors with the status that have no code, or whose code is in another row; nil if there are none.
    let otherErrors: String?

    /// Makes a row of the table.
    ///
    /// - Parameters:
    ///   - codes: the codes of the protocol.
    ///   - httpCode: the code of HTTP's own; nil if there is none.
    private init(_ status: Int, _ codes: [ErrorCode] = [], httpCode: String? = nil, otherErrors: String? = nil) {
        self.status = status
        self.codes = codes.map(\.name) + [httpCode].compactMap { $0 }
        self.otherErrors = otherErrors
    }

    /// The errors of the status in words: `STALE, IDEMPOTENCY_CONFLICT`.
    var errors: String { (codes + [otherErrors].compactMap { $0 }).joined(separator: ", ") }

    /// The statuses that a request of a service can get, ascending.
    static let table: [ErrorStatus] = [
        ErrorStatus(400, [.malformed, .invalidArgument, .unsupportedField]),
        ErrorStatus(401, [.authenticationFailed]),
        ErrorStatus(403, [.forbidden]),
        ErrorStatus(404, [.notFound, .unsupportedOpcode]),
        ErrorStatus(405, httpCode: "METHOD_NOT_ALLOWED"),
        ErrorStatus(409, [.stale, .idempotencyConflict]),
        ErrorStatus(413, [.tooLarge, .frameTooLarge]),
        ErrorStatus(415, httpCode: "UNSUPPORTED_MEDIA_TYPE"),
        ErrorStatus(429, [.rateLimited, .tooManyErrors]),
        ErrorStatus(431, otherErrors: "a head that is too long"),
        ErrorStatus(500, [.storageFailed, .internal]),
        ErrorStatus(502, [.apnsRefused]),
        ErrorStatus(
            503, [.overloaded, .draining, .tooManyConnections, .apnsUnavailable, .behind],
            otherErrors: "INTERNAL if the session has ended"),
        ErrorStatus(504, [.deadline, .timeout]),
        ErrorStatus(507, [.storageFull]),
    ]

    /// Returns the status of an error by the name of its code; 400 for a code that has no row.
    static func status(of code: String) -> Int {
        table.first { $0.codes.contains(code) }?.status ?? 400
    }
}
