import CarillonCore
import CarillonProvider

/// The answer of the token endpoint to a request for an access token (RFC 6749, sections 5.1 and 5.2).
package enum AccessTokenAnswer: Hashable, Sendable {
    /// A token, with the seconds for which it is valid, counted from the request. A secret: never logged.
    case token(String, lifetimeSeconds: UInt64)
    /// Google refuses the service account, its key or the clock of this machine: an operator must act. The text is
    /// Google's `error` and `error_description`.
    case refused(String)
    /// The answer is not usable: try again later; `afterMilliseconds` is the `Retry-After`, nil if the answer has none.
    case unavailable(String, afterMilliseconds: UInt64?)

    /// The longest token that is taken, in bytes; Google's have about 1,100.
    package static let maximumTokenBytes = 4_096
    /// The largest answer that is read, in bytes.
    package static let maximumBodyBytes = 16 * 1_024
    /// The longest life of a token that is believed, in seconds: Google's tokens live for an hour.
    package static let maximumLifetimeSeconds: UInt64 = 3_600
    /// The longest text of Google that is kept for the log, in bytes.
    private static let maximumTextBytes = 300

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - status: the final `:status`.
    ///   - body: the received part of the body.
    ///   - retryAfterMilliseconds: the header `retry-after` in milliseconds from now; nil if the answer has none.
    package init(status: UInt16, body: [UInt8], retryAfterMilliseconds: UInt64? = nil) {
        // Why try?: an answer without members is judged by its status.
        let members = body.count <= Self.maximumBodyBytes ? try? JSONObjectParser.parse(body) : nil
        switch status {
        case 200...299:
            self =
                Self.token(in: members ?? [:])
                ?? .unavailable("answer-malformed", afterMilliseconds: retryAfterMilliseconds)
        case 400, 401, 403:
            // An answer without Google's error object comes from a proxy in between.
            guard let error = members?["error"]?.string else { fallthrough }
            let detail = members?["error_description"]?.string.map { ": " + $0 } ?? ""
            self = .refused((error + detail).printable(maximumBytes: Self.maximumTextBytes))
        default:
            self = .unavailable("status \(status)", afterMilliseconds: retryAfterMilliseconds)
        }
    }

    private static func token(in members: [String: JSONValue]) -> AccessTokenAnswer? {
        guard let token = members["access_token"]?.string, (1...maximumTokenBytes).contains(token.utf8.count),
            token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            members["token_type"]?.string?.lowercased() == "bearer",
            let lifetimeSeconds = members["expires_in"]?.double, lifetimeSeconds >= 1
        else { return nil }
        let seconds = UInt64(exactly: lifetimeSeconds.rounded(.down)) ?? maximumLifetimeSeconds
        return .token(token, lifetimeSeconds: min(seconds, maximumLifetimeSeconds))
    }
}
