package import CarillonCore
package import CarillonProvider

/// The result of a request of channel management, and what it means for the connection. The page Channels of the
/// documentation has every row.
package struct ChannelManagementResult: Hashable, Sendable {
    /// The result for the request.
    package enum End: Hashable, Sendable {
        case answered(ChannelAnswer)
        case failed(ChannelManagementError)
        /// APNs has not carried out the request, and says that another connection or a new provider token will do. The
        /// text is the reason.
        case notProcessed(String)
    }

    package var end: End
    package var consequence: ProviderAnswer.Consequence

    /// The adapter that reads Apple's reason.
    private static let adapter = APNsAdapter(epoch: .zero)

    private init(_ end: End, consequence: ProviderAnswer.Consequence = .none) {
        self.end = end
        self.consequence = consequence
    }

    /// Judges the end of the stream that carried a request.
    ///
    /// - Parameters:
    ///   - isBodyCut: true if the body of the answer was longer than the connection keeps.
    ///   - channelID: the header `apns-channel-id`; nil if the answer has none.
    package init(
        _ request: ChannelManagementRequest, endedBy stream: ClosedStream, body: UnsafeRawBufferPointer,
        isBodyCut: Bool = false, channelID: String? = nil, now: Timestamp
    ) {
        let end = AttemptEnd(stream, body: body, of: Self.adapter, at: now)
        guard case .answered(let answer) = end else {
            self = Self.unanswered(end)
            return
        }
        guard ProviderAnswer.isAccepted(answer.status) else {
            self = Self.refused(
                answer, reason: end.reason ?? "status-\(answer.status)",
                delayMilliseconds: stream.retryAfterMilliseconds)
            return
        }
        let isWhole = stream.isComplete && !isBodyCut
        if isWhole, let answer = ChannelAnswer(to: request, channelID: channelID, body: body) {
            self.init(.answered(answer))
        } else {
            // The status says that APNs has carried out the request. The answer itself is not known.
            let effect: Effect = stream.isComplete ? .executed : .unknown
            self.init(
                .failed(
                    ChannelManagementError(
                        .unavailable, reason: isWhole ? "answer-malformed" : "answer-cut-off", effect: effect)),
                consequence: isWhole ? .countServerError : .none)
        }
    }

    /// Judges a request whose connection has ended.
    ///
    /// - Parameter status: the final `:status` that had come; 0 if none had.
    package init(atEndOfConnection status: UInt16, wasSent: Bool) {
        if status != 0 {
            self.init(.failed(ChannelManagementError(.unavailable, reason: "answer-cut-off", effect: .unknown)))
        } else {
            self = Self.unanswered(wasSent ? .connectionClosed : .notSent)
        }
    }

    /// Returns the result of a request that got no whole answer.
    private static func unanswered(_ end: AttemptEnd) -> ChannelManagementResult {
        // Every end without an answer has a reason; only an answer may have none.
        let reason = end.reason ?? "not-sent"
        if end.verdict == .notProcessed { return ChannelManagementResult(.notProcessed(reason)) }
        return unavailable(reason, afterMilliseconds: nil, effect: .unknown, consequence: .countServerError)
    }

    /// Returns the result of an answer whose status is not a success.
    private static func refused(_ answer: ProviderAnswer, reason: String, delayMilliseconds: UInt64?)
        -> ChannelManagementResult
    {
        guard answer.reason != nil else {
            // APNs gives a reason with every refusal: such an answer is of a proxy in between.
            if answer.status == 421 {
                return ChannelManagementResult(.notProcessed(reason), consequence: .replaceConnection)
            }
            return unavailable(
                reason, afterMilliseconds: delayMilliseconds, effect: .unknown, consequence: .countServerError)
        }
        switch reason {
        case "ChannelNotRegistered":
            return ChannelManagementResult(.failed(ChannelManagementError(.noSuchChannel, reason: reason)))
        case "BadChannelId":
            return ChannelManagementResult(.failed(ChannelManagementError(.invalidChannelID, reason: reason)))
        case "ExpiredProviderToken":
            return ChannelManagementResult(.notProcessed(reason), consequence: .replaceProviderToken)
        case "UnrelatedKeyIdInToken", "TooManyProviderTokenUpdates", "IdleTimeout", "Shutdown":
            return ChannelManagementResult(.notProcessed(reason), consequence: .replaceConnection)
        // Only a new connection knows a bundle id that was added to the key.
        case "TopicDisallowed", "TopicMismatch":
            return ChannelManagementResult(
                .failed(ChannelManagementError(.refused, reason: reason)), consequence: .replaceConnectionForAPNsTopics)
        case "InvalidProviderToken", "MissingProviderToken", "BadCertificate", "BadCertificateEnvironment",
            "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken":
            return ChannelManagementResult(
                .failed(ChannelManagementError(.refused, reason: reason)), consequence: .refuseCredential)
        default: break
        }
        switch answer.status {
        case 429:
            return unavailable(reason, afterMilliseconds: delayMilliseconds, effect: .notExecuted, consequence: .none)
        case 503:
            return unavailable(
                reason, afterMilliseconds: delayMilliseconds, effect: .notExecuted, consequence: .countServerError)
        case 400...499: return ChannelManagementResult(.failed(ChannelManagementError(.refused, reason: reason)))
        default:
            return unavailable(
                reason, afterMilliseconds: delayMilliseconds, effect: .unknown, consequence: .countServerError)
        }
    }

    private static func unavailable(
        _ reason: String, afterMilliseconds delayMilliseconds: UInt64?, effect: Effect,
        consequence: ProviderAnswer.Consequence
    ) -> ChannelManagementResult {
        ChannelManagementResult(
            .failed(
                ChannelManagementError(
                    .unavailable, reason: reason, effect: effect, afterMilliseconds: delayMilliseconds)),
            consequence: consequence)
    }
}
