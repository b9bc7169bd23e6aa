import CarillonCore
package import CarillonProvider

/// The meaning of FCM's answers other than a success. `CarillonFCM.docc/Verdicts.md` has every case. The times are
/// those of https://firebase.google.com/docs/cloud-messaging/scale-fcm.
package enum FCMAnswer {
    /// The delay after 429 that names none: a minute, the shortest that Google asks for.
    package static let quotaDelayMilliseconds: UInt64 = 60_000
    /// The shortest delay after an error of FCM itself: ten seconds, as Google asks.
    package static let minimumErrorDelayMilliseconds: UInt64 = 10_000

    /// Judges an answer other than a success.
    ///
    /// - Parameters:
    ///   - body: the received part of the body; need not be JSON.
    ///   - retryAfterMilliseconds: the header `retry-after` in milliseconds from now; nil if the answer has none.
    package static func judgeFailure(status: UInt16, body: [UInt8], retryAfterMilliseconds: UInt64?) -> ProviderAnswer {
        guard let error = FCMErrorBody(body) else {
            let meaning = meaningWithoutError(of: status, retryAfterMilliseconds: retryAfterMilliseconds)
            return ProviderAnswer(status: status, reason: nil, meaning: meaning)
        }
        let delayMilliseconds = retryAfterMilliseconds ?? error.retryDelayMilliseconds
        return ProviderAnswer(
            status: status, reason: error.reason,
            meaning: meaning(of: error, status: status, delayMilliseconds: delayMilliseconds))
    }

    private static func meaning(
        of error: FCMErrorBody, status: UInt16, delayMilliseconds: UInt64?
    ) -> AnswerMeaning {
        switch error.code {
        case "UNREGISTERED": return .refused(.tokenUnregistered)
        case "INVALID_ARGUMENT":
            // APNs' own verdict about the token of an Apple device.
            if error.apnsStatus == 410 { return .refused(.tokenUnregistered) }
            return .refused(error.isTokenInvalid ? .badToken : .badRequest)
        // The token is good, but for another project: no token is quarantined for this answer.
        case "SENDER_ID_MISMATCH", "THIRD_PARTY_AUTH_ERROR": return .refused(.forbidden)
        case "QUOTA_EXCEEDED":
            // QUOTA_EXCEEDED without an ErrorInfo concerns the device or the topic, not the project.
            guard error.errorInfoReason != "RATE_LIMIT_EXCEEDED" else { break }
            return .tryLater(.throttled, afterMilliseconds: delayMilliseconds ?? quotaDelayMilliseconds)
        case "UNAVAILABLE", "INTERNAL": return busy(afterMilliseconds: delayMilliseconds)
        // A new code of FCM is taken to concern this message only: others must not be held up by it.
        default:
            let hasCode = error.errorCode != nil && error.errorCode != "UNSPECIFIED_ERROR"
            if hasCode, status != 429, (400...499).contains(status) { return .refused(.refused) }
        }
        return meaning(ofStatus: status, delayMilliseconds: delayMilliseconds)
    }

    /// Returns the meaning of an error in Google's form whose code says too little.
    private static func meaning(ofStatus status: UInt16, delayMilliseconds: UInt64?) -> AnswerMeaning {
        switch status {
        case 401: .notProcessed(then: .replaceAccessToken)
        // An answer "not found" without UNREGISTERED concerns the project: a wrong project id must not empty the
        // registry.
        case 403, 404: .credentialRefused
        case 413: .refused(.payloadTooLarge)
        case 429: quotaUsedUp(delayMilliseconds: delayMilliseconds)
        case 408, 421, 425: meaningWithoutError(of: status, retryAfterMilliseconds: delayMilliseconds)
        case 400...499: .refused(.refused)
        default: busy(afterMilliseconds: delayMilliseconds)
        }
    }

    /// Returns the meaning of an answer that is not in Google's form: of a front end, a proxy or another server in its
    /// place.
    private static func meaningWithoutError(of status: UInt16, retryAfterMilliseconds: UInt64?) -> AnswerMeaning {
        switch status {
        case 413: .refused(.payloadTooLarge)
        // Misdirected: it was not processed, and another connection may do (RFC 9110, section 15.5.20).
        case 421: .notProcessed(then: .replaceConnection)
        case 429: quotaUsedUp(delayMilliseconds: retryAfterMilliseconds)
        default: busy(afterMilliseconds: retryAfterMilliseconds)
        }
    }

    /// Returns the meaning of an answer about a quota that is used up.
    ///
    /// - Parameter delayMilliseconds: the delay that the answer asks for; nil if it names none.
    private static func quotaUsedUp(delayMilliseconds: UInt64?) -> AnswerMeaning {
        .tryLater(
            .serverBusy, afterMilliseconds: delayMilliseconds ?? quotaDelayMilliseconds,
            then: .slowDown(afterMilliseconds: delayMilliseconds))
    }

    private static func busy(afterMilliseconds delayMilliseconds: UInt64?) -> AnswerMeaning {
        .tryLater(
            .serverBusy, afterMilliseconds: max(delayMilliseconds ?? 0, minimumErrorDelayMilliseconds),
            then: .countServerError)
    }
}
