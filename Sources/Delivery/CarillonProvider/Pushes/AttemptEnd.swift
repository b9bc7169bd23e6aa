package import CarillonCore

/// The end of an attempt: a provider's answer (`ProviderAnswer`), or an end without an answer that may be used.
package enum AttemptEnd: Hashable, Sendable {
    /// An answer came. It need not be whole if its status alone says that the push was accepted.
    case answered(ProviderAnswer)
    /// The answer was cut off after its status, which is the value: what the body would have said is not known.
    case cutOff(UInt16)
    /// The answer broke the rules of HTTP, and must not be used (RFC 9113, section 8.1.1).
    case malformed
    /// The stream ended without an answer after the request was sent; the code of the reset.
    case reset(UInt32)
    /// The attempt was cancelled, because it had no answer within `ConnectionMachine.Limits.answerTimeoutMilliseconds`.
    case timeout
    /// The connection ended before the answer.
    case connectionClosed
    /// The request was never written to the connection.
    case notSent
    /// HTTP cannot carry the request, on this connection or any other.
    case invalidRequest
    /// The provider token cannot be signed.
    case tokenNotSigned
    /// The token endpoint refuses the credential, so there is no access token; the text is its answer.
    case accessTokenRefused(String)

    /// The longest reason that is kept, in bytes of UTF-8 (TRACE, Protocol 10.8).
    package static let maximumReasonBytes = 64
    /// The code REFUSED_STREAM: the peer has not processed the request (RFC 9113, section 8.7).
    private static let refusedStream: UInt32 = 7

    /// Reads the end of a stream. The page `Verdicts.md` of each provider's module has every case.
    ///
    /// - Parameters:
    ///   - body: the received part of the answer's body.
    ///   - adapter: the provider whose answer it is.
    package init(
        _ stream: ClosedStream, body: UnsafeRawBufferPointer, of adapter: any ProviderAdapter, at now: Timestamp
    ) {
        if stream.isMalformed {
            self = .malformed
        } else if ProviderAnswer.isAccepted(stream.status) || stream.status != 0 && stream.isComplete {
            self = .answered(
                adapter.answer(
                    status: stream.status, body: body, retryAfterMilliseconds: stream.retryAfterMilliseconds,
                    errorDescription: stream.errorDescription, at: now))
        } else if stream.status != 0 {
            self = .cutOff(stream.status)
        } else if !stream.wasSent {
            self = .notSent
        } else {
            self = stream.wasOverdue && stream.errorCode != Self.refusedStream ? .timeout : .reset(stream.errorCode)
        }
    }

    /// Reads the end of a stream that was open when its connection ended.
    ///
    /// - Parameter status: the final `:status` that had come; 0 if none had.
    package init(atEndOfConnection status: UInt16, wasSent: Bool) {
        if ProviderAnswer.isAccepted(status) {
            self = .answered(.accepted(status))
        } else if status != 0 {
            self = .cutOff(status)
        } else {
            self = wasSent ? .connectionClosed : .notSent
        }
    }

    /// The verdict for the delivery engine.
    package var verdict: Verdict {
        switch self {
        case .answered(let answer): answer.verdict
        // The push may be sent again freely.
        case .reset(Self.refusedStream), .notSent: .notProcessed
        case .cutOff, .malformed, .reset, .timeout, .connectionClosed: .unknown
        case .invalidRequest: .refused(.badRequest, deadSince: nil)
        case .tokenNotSigned, .accessTokenRefused: .credentialRefused
        }
    }

    /// The HTTP status of the provider; 0 if no answer came.
    package var status: UInt16 {
        switch self {
        case .answered(let answer): answer.status
        case .cutOff(let status): status
        case .malformed, .reset, .timeout, .connectionClosed, .notSent, .invalidRequest, .tokenNotSigned,
            .accessTokenRefused:
            0
        }
    }

    /// The provider's reason, cut at `maximumReasonBytes`, or the server's own word for an end without an answer; nil
    /// if the provider answered without a reason.
    package var reason: String? {
        switch self {
        case .answered(let answer): answer.reason.map(Self.shortened)
        case .cutOff: "answer-cut-off"
        case .malformed: "answer-malformed"
        case .reset(Self.refusedStream): "refused-stream"
        case .reset(let code): "stream-reset-\(code)"
        case .timeout: "timeout"
        case .connectionClosed: "connection-closed"
        case .notSent: "not-sent"
        case .invalidRequest: "invalid-request"
        case .tokenNotSigned: "token-not-signed"
        case .accessTokenRefused(let text): Self.shortened(text)
        }
    }

    /// True if the request was written to the connection.
    package var wasSent: Bool {
        switch self {
        case .answered, .cutOff, .malformed, .reset, .timeout, .connectionClosed: true
        case .notSent, .invalidRequest, .tokenNotSigned, .accessTokenRefused: false
        }
    }

    private static func shortened(_ reason: String) -> String {
        guard reason.utf8.count > maximumReasonBytes else { return reason }
        var text = reason
        while text.utf8.count > maximumReasonBytes { text.removeLast() }
        return text
    }
}

/// Texts of a peer, as logs and TRACE may show them.
extension String {
    /// Returns the beginning of the text, without control characters, which could change a line of a log.
    ///
    /// - Parameter maximumBytes: the most bytes of UTF-8 that are returned.
    package func printable(maximumBytes: Int) -> String {
        var kept = ""
        for scalar in unicodeScalars where !scalar.isControlCharacter {
            guard kept.utf8.count + 4 <= maximumBytes else { break }
            kept.unicodeScalars.append(scalar)
        }
        return kept
    }
}
