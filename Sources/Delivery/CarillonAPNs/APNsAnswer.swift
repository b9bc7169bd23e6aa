package import CarillonCore
import CarillonProvider

/// The meaning of APNs' answers other than a success. `CarillonAPNs.docc/Verdicts.md` has every case. Apple's table is
/// in https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns; comments
/// say what APNs does beyond it.
package enum APNsAnswer {
    /// Judges an answer other than a success.
    ///
    /// - Parameters:
    ///   - body: the received part of the body, at most a few kilobytes; need not be JSON.
    ///   - retryAfterMilliseconds: the header `retry-after` in milliseconds from now; nil if the answer has none.
    ///   - now: used as the timestamp of a dead token if the answer has none.
    static func judgeFailure(
        status: UInt16, body: UnsafeRawBufferPointer, retryAfterMilliseconds: UInt64?, now: Timestamp
    ) -> ProviderAnswer {
        let error = parse(body)
        let failure = Failure(
            status: status, reason: error.reason, deadSince: error.timestamp ?? now,
            delayMilliseconds: retryAfterMilliseconds)
        return ProviderAnswer(
            status: status, reason: error.reason, meaning: failure.meaning,
            refusesProviderToken: error.reason == "ExpiredProviderToken"
                || error.reason == "TooManyProviderTokenUpdates")
    }

    /// Returns true if a reason in a GOAWAY says that APNs refuses the client certificate of the connection.
    static func refusesCertificate(_ reason: String) -> Bool {
        reason == "BadCertificate" || reason == "BadCertificateEnvironment"
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

    /// An answer other than a success, and the tables of its meaning.
    private struct Failure {
        var status: UInt16
        var reason: String?
        /// The time since which the token is dead, if the answer means that.
        var deadSince: Timestamp
        var delayMilliseconds: UInt64?

        var meaning: AnswerMeaning {
            guard let reason else { return meaningWithoutReason }
            return meaning(of: reason) ?? meaningOfNewReason
        }

        /// Returns the meaning of a reason in Apple's table; nil for a reason that is not in it.
        private func meaning(of reason: String) -> AnswerMeaning? {
            switch reason {
            case "Unregistered": .refused(.tokenUnregistered, deadSince: deadSince)
            case "ExpiredToken": .refused(.tokenExpired, deadSince: deadSince)
            case "BadDeviceToken", "MissingDeviceToken": .refused(.badToken)
            case "DeviceTokenNotForTopic": .refused(.tokenNotForTopic)
            case "PayloadTooLarge": .refused(.payloadTooLarge)
            case "BadTopic", "MissingTopic": .refused(.badTopic)
            // A bundle id added to a key after the connection's first push is known to new connections only.
            case "TopicDisallowed", "TopicMismatch": .refused(.topicDisallowed, then: .replaceConnectionForAPNsTopics)
            case "FeatureNotEnabled": .refused(.topicDisallowed)
            case "Forbidden": .refused(.forbidden)
            case "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "DuplicateHeaders",
                "InvalidPushType", "PayloadEmpty", "BadPath", "MethodNotAllowed":
                .refused(.badRequest)
            // Of broadcast pushes.
            case "ChannelNotRegistered": .refused(.noChannel)
            case "BadChannelId", "MissingChannelId", "BadRequestParams", "BadRequestPayload", "MissingPushType",
                "CannotCreateChannelConfig":
                .refused(.badRequest)
            case "ExpiredProviderToken": .notProcessed(then: .replaceProviderToken)
            case "IdleTimeout", "UnrelatedKeyIdInToken", "TooManyProviderTokenUpdates":
                .notProcessed(then: .replaceConnection)
            // The last two are one reason: Apple documents the first spelling, and APNs sends the second.
            case "InvalidProviderToken", "MissingProviderToken", "BadCertificate", "BadCertificateEnvironment",
                "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken":
                .credentialRefused
            case "TooManyRequests": .tryLater(.throttled, afterMilliseconds: delayMilliseconds)
            case "InternalServerError", "ServiceUnavailable": busy(then: .countServerError)
            case "Shutdown": busy(then: .replaceConnection)
            default: nil
            }
        }

        /// The meaning of an answer in Apple's form whose reason is new: its status decides.
        private var meaningOfNewReason: AnswerMeaning {
            switch status {
            case 410: .refused(.tokenUnregistered, deadSince: deadSince)
            case 429: .tryLater(.throttled, afterMilliseconds: delayMilliseconds)
            case 408, 413, 421, 425: meaningWithoutReason
            case 400...499: .refused(.refused)
            default: meaningWithoutReason
            }
        }

        /// The meaning of an answer without a reason. APNs gives one with every refusal: such an answer is of a proxy
        /// in between, which may be gone later.
        private var meaningWithoutReason: AnswerMeaning {
            switch status {
            // A push that was refused for its size would be refused again.
            case 413: .refused(.payloadTooLarge)
            // Misdirected: it was not processed, and another connection may do (RFC 9110, section 15.5.20).
            case 421: .notProcessed(then: .replaceConnection)
            default: busy(then: .countServerError)
            }
        }

        private func busy(then consequence: ProviderAnswer.Consequence) -> AnswerMeaning {
            .tryLater(.serverBusy, afterMilliseconds: delayMilliseconds, then: consequence)
        }
    }
}
