package import CarillonCore
import CarillonProvider

/// The meaning of APNs' answers other than a success. The page Verdicts has every case.
package enum APNsResponse {
    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - body: the received part of the body, at most a few kilobytes; need not be JSON.
    ///   - retryAfterMilliseconds: the header `retry-after` in milliseconds from now; nil if the answer has none.
    ///   - now: used as the timestamp of a dead token if the answer has none.
    static func refusal(
        status: UInt16, body: UnsafeRawBufferPointer, retryAfterMilliseconds: UInt64?, now: Timestamp
    ) -> ProviderAnswer {
        let error = parse(body)
        let deadSince = error.timestamp ?? now
        let (verdict, consequence) =
            if let reason = error.reason {
                rule(for: reason, deadSince: deadSince, delayMilliseconds: retryAfterMilliseconds)
                    ?? rule(forNewReasonWith: status, deadSince: deadSince, delayMilliseconds: retryAfterMilliseconds)
            } else {
                ruleWithoutReason(for: status, delayMilliseconds: retryAfterMilliseconds)
            }
        return ProviderAnswer(
            status: status, reason: error.reason, verdict: verdict, consequence: consequence,
            refusesProviderToken: error.reason == "ExpiredProviderToken"
                || error.reason == "TooManyProviderTokenUpdates")
    }

    /// Returns true if a reason in a GOAWAY says that APNs refuses the client certificate of the connection.
    static func refusesCertificate(_ reason: String) -> Bool {
        reason == "BadCertificate" || reason == "BadCertificateEnvironment"
    }

    /// Returns the verdict and consequence of a reason in Apple's table; nil for a reason that is not in it.
    private static func rule(
        for reason: String, deadSince: Timestamp, delayMilliseconds: UInt64?
    ) -> (Verdict, ProviderAnswer.Consequence)? {
        switch reason {
        case "Unregistered": (.refused(.tokenUnregistered, deadSince: deadSince), .none)
        case "ExpiredToken": (.refused(.tokenExpired, deadSince: deadSince), .none)
        case "BadDeviceToken", "MissingDeviceToken": (.refused(.badToken, deadSince: nil), .none)
        case "DeviceTokenNotForTopic": (.refused(.tokenNotForTopic, deadSince: nil), .none)
        case "PayloadTooLarge": (.refused(.payloadTooLarge, deadSince: nil), .none)
        case "BadTopic", "MissingTopic": (.refused(.badTopic, deadSince: nil), .none)
        // A bundle id added to a key after the connection's first push is known to new connections only.
        case "TopicDisallowed": (.refused(.topicDisallowed, deadSince: nil), .renewTopics)
        // Of broadcast pushes.
        case "ChannelNotRegistered": (.refused(.noChannel, deadSince: nil), .none)
        case "BadChannelId", "MissingChannelId", "BadRequestParams", "BadRequestPayload", "MissingPushType",
            "CannotCreateChannelConfig":
            (.refused(.badRequest, deadSince: nil), .none)
        case "FeatureNotEnabled": (.refused(.topicDisallowed, deadSince: nil), .none)
        case "TopicMismatch": (.refused(.topicDisallowed, deadSince: nil), .renewTopics)
        case "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "DuplicateHeaders", "InvalidPushType",
            "PayloadEmpty", "BadPath", "MethodNotAllowed":
            (.refused(.badRequest, deadSince: nil), .none)
        case "Forbidden": (.refused(.forbidden, deadSince: nil), .none)
        case "IdleTimeout": (.notProcessed, .replaceConnection)
        case "ExpiredProviderToken": (.notProcessed, .renewToken)
        case "UnrelatedKeyIdInToken", "TooManyProviderTokenUpdates": (.notProcessed, .replaceConnection)
        case "InvalidProviderToken", "MissingProviderToken", "BadCertificate", "BadCertificateEnvironment",
            // Apple documents the first spelling and sends the second.
            "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken":
            (.credentialRefused, .refuseCredential)
        case "TooManyRequests": (.tryLater(.tokenThrottled, afterMilliseconds: delayMilliseconds), .none)
        case "InternalServerError": (.tryLater(.serverBusy, afterMilliseconds: delayMilliseconds), .serverError)
        case "ServiceUnavailable": (.tryLater(.serverBusy, afterMilliseconds: delayMilliseconds), .serverError)
        case "Shutdown": (.tryLater(.serverBusy, afterMilliseconds: delayMilliseconds), .replaceConnection)
        default: nil
        }
    }

    /// Returns the verdict and consequence of an answer in Apple's form whose reason is new: its status decides.
    private static func rule(
        forNewReasonWith status: UInt16, deadSince: Timestamp, delayMilliseconds: UInt64?
    ) -> (Verdict, ProviderAnswer.Consequence) {
        switch status {
        case 410: (.refused(.tokenUnregistered, deadSince: deadSince), .none)
        case 429: (.tryLater(.tokenThrottled, afterMilliseconds: delayMilliseconds), .none)
        case 408, 413, 421, 425: ruleWithoutReason(for: status, delayMilliseconds: delayMilliseconds)
        case 400...499: (.refused(.refused, deadSince: nil), .none)
        default: ruleWithoutReason(for: status, delayMilliseconds: delayMilliseconds)
        }
    }

    /// Returns the verdict and consequence of an answer without a reason. APNs gives one with every refusal: such an
    /// answer is of a proxy in between, which may be gone later.
    private static func ruleWithoutReason(for status: UInt16, delayMilliseconds: UInt64?) -> (
        Verdict, ProviderAnswer.Consequence
    ) {
        switch status {
        // A push that was refused for its size would be refused again.
        case 413: (.refused(.payloadTooLarge, deadSince: nil), .none)
        // Misdirected: it was not processed, and another connection may do (RFC 9110, section 15.5.20).
        case 421: (.notProcessed, .replaceConnection)
        default: (.tryLater(.serverBusy, afterMilliseconds: delayMilliseconds), .serverError)
        }
    }

    /// Reads `{"reason": …, "timestamp": …}`, the form of error bodies and of GOAWAY debug data. Each part is nil if it
    /// is missing or not valid.
    package static func parse(_ body: UnsafeRawBufferPointer) -> (reason: String?, timestamp: Timestamp?) {
        // Why try?: a body that is not JSON gives no reason.
        guard !body.isEmpty, let members = try? JSONObjectParser.parse(Array(body)) else { return (nil, nil) }
        var reason: String?
        var timestamp: Timestamp?
        if let text = members["reason"]?.string, (1...128).contains(text.utf8.count) { reason = text }
        if let number = members["timestamp"]?.double, let milliseconds = UInt64(exactly: number.rounded()) {
            timestamp = Timestamp(milliseconds: milliseconds)
        }
        return (reason, timestamp)
    }
}
