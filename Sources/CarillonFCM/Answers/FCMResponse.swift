import CarillonCore
package import CarillonProvider

/// The meaning of FCM's answers other than a success. The page Verdicts has every case.
package enum FCMResponse {
    /// The delay after 429 that names none: a minute, the least that Google asks for.
    package static let quotaDelayMilliseconds: UInt64 = 60_000
    /// The least delay after an error of FCM itself: ten seconds, as Google asks.
    package static let minimumErrorDelayMilliseconds: UInt64 = 10_000

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - body: the received part of the body; need not be JSON.
    ///   - retryAfterMilliseconds: the header `retry-after` in milliseconds from now; nil if the answer has none.
    package static func refusal(status: UInt16, body: [UInt8], retryAfterMilliseconds: UInt64?) -> ProviderAnswer {
        guard let error = FCMErrorBody(body) else {
            let (verdict, consequence) = ruleWithoutError(for: status, retryAfterMilliseconds: retryAfterMilliseconds)
            return ProviderAnswer(status: status, verdict: verdict, consequence: consequence)
        }
        let delayMilliseconds = retryAfterMilliseconds ?? error.retryDelayMilliseconds
        let (verdict, consequence) = rule(for: error, status: status, delayMilliseconds: delayMilliseconds)
        return ProviderAnswer(status: status, reason: error.reason, verdict: verdict, consequence: consequence)
    }

    private static func rule(
        for error: FCMErrorBody, status: UInt16, delayMilliseconds: UInt64?
    ) -> (Verdict, ProviderAnswer.Consequence) {
        switch error.code {
        case "UNREGISTERED": return (.refused(.tokenUnregistered, deadSince: nil), .none)
        case "INVALID_ARGUMENT":
            // APNs' own verdict about the token of an Apple device.
            if error.apnsStatus == 410 { return (.refused(.tokenUnregistered, deadSince: nil), .none) }
            return (.refused(error.isTokenInvalid ? .badToken : .badRequest, deadSince: nil), .none)
        // The token is good, but for another project: no token is quarantined for this answer.
        case "SENDER_ID_MISMATCH", "THIRD_PARTY_AUTH_ERROR": return (.refused(.forbidden, deadSince: nil), .none)
        case "QUOTA_EXCEEDED":
            // QUOTA_EXCEEDED without an ErrorInfo concerns the device or the topic, not the project.
            guard error.errorInfoReason != "RATE_LIMIT_EXCEEDED" else { break }
            return (.tryLater(.tokenThrottled, afterMilliseconds: delayMilliseconds ?? quotaDelayMilliseconds), .none)
        case "UNAVAILABLE", "INTERNAL": return busy(afterMilliseconds: delayMilliseconds)
        // A new code of FCM is taken to concern this message only: others must not be held up by it.
        default:
            guard
                error.errorCode == nil || error.errorCode == "UNSPECIFIED_ERROR" || status == 429
                    || !(400...499).contains(status)
            else { return (.refused(.refused, deadSince: nil), .none) }
        }
        return rule(forStatus: status, delayMilliseconds: delayMilliseconds)
    }

    /// Returns the rule for an error in Google's form whose code says too little.
    private static func rule(
        forStatus status: UInt16, delayMilliseconds: UInt64?
    ) -> (Verdict, ProviderAnswer.Consequence) {
        switch status {
        case 401: return (.notProcessed, .replaceToken)
        case 403: return (.credentialRefused, .refuseCredential)
        // An answer "not found" without UNREGISTERED concerns the project: a wrong project id must not empty the
        // registry.
        case 404: return (.credentialRefused, .refuseCredential)
        case 429:
            return (
                .tryLater(.serverBusy, afterMilliseconds: delayMilliseconds ?? quotaDelayMilliseconds),
                .slowDown(afterMilliseconds: delayMilliseconds)
            )
        case 413: return (.refused(.payloadTooLarge, deadSince: nil), .none)
        case 408, 421, 425: return ruleWithoutError(for: status, retryAfterMilliseconds: delayMilliseconds)
        case 400...499: return (.refused(.refused, deadSince: nil), .none)
        default: return busy(afterMilliseconds: delayMilliseconds)
        }
    }

    /// Returns the rule for an answer that is not in Google's form: of a front end, a proxy or another server in its
    /// place.
    private static func ruleWithoutError(for status: UInt16, retryAfterMilliseconds: UInt64?) -> (
        Verdict, ProviderAnswer.Consequence
    ) {
        switch status {
        case 413: (.refused(.payloadTooLarge, deadSince: nil), .none)
        // Misdirected: it was not processed, and another connection may do (RFC 9110, section 15.5.20).
        case 421: (.notProcessed, .replaceConnection)
        case 429:
            (
                .tryLater(.serverBusy, afterMilliseconds: retryAfterMilliseconds ?? quotaDelayMilliseconds),
                .slowDown(afterMilliseconds: retryAfterMilliseconds)
            )
        default: busy(afterMilliseconds: retryAfterMilliseconds)
        }
    }

    private static func busy(afterMilliseconds delayMilliseconds: UInt64?) -> (Verdict, ProviderAnswer.Consequence) {
        (
            .tryLater(.serverBusy, afterMilliseconds: max(delayMilliseconds ?? 0, minimumErrorDelayMilliseconds)),
            .serverError
        )
    }
}
