package import CarillonCore

/// The answer of APNs to one push, with its consequences for the push and for the connection.
package struct Answer: Hashable, Sendable {
    /// The action of the connection that received the answer.
    package enum Consequence: Hashable, Sendable {
        /// Nothing.
        case none
        /// APNs itself failed; a series of these on one connection ends it.
        case serverError
        /// The connection is of no use any more, but another will work: open one and drain this one.
        case replaceConnection
        /// The topic is not known to this connection; a new one may know it.
        case renewTopics
        /// The provider token is too old: make a new one, on a new connection.
        case renewToken
        /// The credential is refused: stop sending with it and raise an alert.
        case stopCredential
    }

    /// `:status`.
    package var status: UInt16
    /// Apple's reason; nil if the body did not name one. An open set.
    package var reason: String?
    /// The consequence for the push.
    package var verdict: Verdict
    /// The consequence for the connection.
    package var consequence: Consequence

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - body: the received part of the body, at most a few kilobytes; need not be JSON.
    ///   - retryAfter: the header `retry-after` in seconds, if it was a number.
    ///   - now: used as the timestamp of a dead token if the answer has none.
    package init(status: UInt16, body: UnsafeRawBufferPointer, retryAfter: UInt32?, now: Timestamp) {
        self.status = status
        guard status != 200 else {
            (reason, verdict, consequence) = (nil, .delivered, .none)
            return
        }
        let error = Self.parse(body)
        reason = error.reason
        let deadSince = error.timestamp ?? now
        let delay = retryAfter.map { UInt64($0) * 1_000 }
        if let reason = error.reason, let known = Self.rule(for: reason, deadSince: deadSince, delay: delay) {
            (verdict, consequence) = known
        } else {
            (verdict, consequence) = Self.rule(for: status, deadSince: deadSince, delay: delay)
        }
    }

    /// Returns the verdict and consequence of a reason in Apple's table; nil for a reason that is not in it.
    private static func rule(
        for reason: String,
        deadSince: Timestamp,
        delay: UInt64?
    ) -> (Verdict, Consequence)? {
        switch reason {
        case "Unregistered": (.refused(.tokenUnregistered, deadSince: deadSince), .none)
        case "ExpiredToken": (.refused(.tokenExpired, deadSince: deadSince), .none)
        case "BadDeviceToken", "MissingDeviceToken": (.refused(.badToken, deadSince: nil), .none)
        case "DeviceTokenNotForTopic": (.refused(.tokenNotForTopic, deadSince: nil), .none)
        case "PayloadTooLarge": (.refused(.payloadTooLarge, deadSince: nil), .none)
        case "BadTopic", "MissingTopic": (.refused(.badTopic, deadSince: nil), .none)
        // A bundle id added to a key after the connection's first push is known to new connections only.
        case "TopicDisallowed": (.refused(.topicDisallowed, deadSince: nil), .renewTopics)
        case "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "DuplicateHeaders", "InvalidPushType",
            "PayloadEmpty", "BadPath", "MethodNotAllowed":
            (.refused(.badRequest, deadSince: nil), .none)
        case "Forbidden": (.refused(.forbidden, deadSince: nil), .none)
        case "IdleTimeout": (.notProcessed, .replaceConnection)
        case "ExpiredProviderToken": (.credentialRefused, .renewToken)
        case "UnrelatedKeyIdInToken", "TooManyProviderTokenUpdates": (.credentialRefused, .replaceConnection)
        case "InvalidProviderToken", "MissingProviderToken", "BadCertificate", "BadCertificateEnvironment",
            // Apple documents the first spelling and sends the second.
            "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken":
            (.credentialRefused, .stopCredential)
        case "TooManyRequests": (.tryLater(.tokenThrottled, afterMilliseconds: delay), .none)
        case "InternalServerError": (.tryLater(.serverBusy, afterMilliseconds: delay), .serverError)
        case "ServiceUnavailable": (.tryLater(.serverBusy, afterMilliseconds: delay), .serverError)
        case "Shutdown": (.tryLater(.serverBusy, afterMilliseconds: delay), .replaceConnection)
        default: nil
        }
    }

    /// Returns the verdict and consequence of a status alone, when the reason is missing or new.
    private static func rule(
        for status: UInt16,
        deadSince: Timestamp,
        delay: UInt64?
    ) -> (Verdict, Consequence) {
        switch status {
        case 410: (.refused(.tokenUnregistered, deadSince: deadSince), .none)
        case 413: (.refused(.payloadTooLarge, deadSince: nil), .none)
        case 429: (.tryLater(.tokenThrottled, afterMilliseconds: delay), .none)
        case 500...599: (.tryLater(.serverBusy, afterMilliseconds: delay), .serverError)
        // APNs does not answer 1xx to 3xx: something in between does, and it may be gone later.
        case ..<400: (.tryLater(.serverBusy, afterMilliseconds: delay), .serverError)
        default: (.refused(.refused, deadSince: nil), .none)
        }
    }

    /// Reads `{"reason": …, "timestamp": …}`, the form of error bodies and of GOAWAY debug data. Each part is nil if it
    /// is missing or not valid.
    package static func parse(_ body: UnsafeRawBufferPointer) -> (reason: String?, timestamp: Timestamp?) {
        guard !body.isEmpty, let members = try? JSONObjectScanner.scan(Array(body)) else { return (nil, nil) }
        var reason: String?
        var timestamp: Timestamp?
        if let text = members["reason"]?.string, (1...128).contains(text.utf8.count) { reason = text }
        if let number = members["timestamp"]?.double, let milliseconds = UInt64(exactly: number.rounded()) {
            timestamp = Timestamp(milliseconds: milliseconds)
        }
        return (reason, timestamp)
    }
}
