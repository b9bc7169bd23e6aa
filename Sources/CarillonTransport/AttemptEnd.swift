import CarillonAPNs
import CarillonCore
import CarillonHTTP2

/// The end of an attempt that was not delivered.
enum AttemptEnd {
    /// APNs answered with another status than 200.
    case answered(Answer)
    /// The stream ended without an answer after the request was sent; the code of the reset.
    case reset(CarillonHTTP2.ErrorCode)
    /// The attempt was cancelled, because it had no answer within `ConnectionMachine.Limits.answer`.
    case timeout
    /// The connection ended before the answer.
    case connectionClosed
    /// The request was never written.
    case notSent
    /// HTTP cannot carry the request, on this connection or any other.
    case invalidRequest
    /// The provider token cannot be signed.
    case tokenNotSigned

    /// The longest reason that is kept, in bytes of UTF-8 (TRACE, Protocol 8.8).
    static let reasonByteLimit = 64

    /// The verdict for the delivery engine.
    var verdict: Verdict {
        switch self {
        case .answered(let answer): answer.verdict
        // A refused stream was never processed (RFC 9113, section 8.7): the push may be sent again freely.
        case .reset(.refusedStream), .notSent: .notProcessed
        case .reset, .timeout, .connectionClosed: .unknown
        case .invalidRequest: .refused(.badRequest, deadSince: nil)
        case .tokenNotSigned: .credentialRefused
        }
    }

    /// The HTTP status of APNs; 0 if there was no answer.
    var status: UInt16 {
        if case .answered(let answer) = self { answer.status } else { 0 }
    }

    /// APNs' reason, cut at `reasonByteLimit`, or the server's own word for an end without an answer; nil if APNs
    /// answered without a reason.
    var reason: String? {
        switch self {
        case .answered(let answer): answer.reason.map(Self.shortened)
        case .reset(.refusedStream): "refused-stream"
        case .reset(let code): "stream-reset-\(code.rawValue)"
        case .timeout: "timeout"
        case .connectionClosed: "connection-closed"
        case .notSent: "not-sent"
        case .invalidRequest: "invalid-request"
        case .tokenNotSigned: "token-not-signed"
        }
    }

    /// True if the request was written to the connection.
    var wasSent: Bool {
        switch self {
        case .answered, .reset, .timeout, .connectionClosed: true
        case .notSent, .invalidRequest, .tokenNotSigned: false
        }
    }

    private static func shortened(_ reason: String) -> String {
        guard reason.utf8.count > reasonByteLimit else { return reason }
        var text = reason
        while text.utf8.count > reasonByteLimit { text.removeLast() }
        return text
    }
}
