package import CarillonCore
import CarillonProvider

/// The answer of a push service to one message, with its consequences (RFC 8030, section 5; RFC 8292, section 4.2).
package struct WebPushAnswer: Hashable, Sendable {
    /// The action beside the message.
    package enum Consequence: Hashable, Sendable {
        /// No action.
        case none
        /// The service itself failed, or something else answered in its place. A series of these on one connection
        /// ends the connection.
        case serverError
        /// The connection is of no use any more, but another will work.
        case replaceConnection
        /// The service refuses the server's key or token: nothing more is sent to it until an operator, or a trial,
        /// ends that.
        case refuseKey
        /// The subscription was made with another key, and nothing shows yet that the server's key is right: an
        /// operator must know.
        case suspectKey
        /// The service asks for less: nothing is sent to it for a while. Milliseconds; nil if it names none.
        case slowDown(afterMilliseconds: UInt64?)
    }

    /// The `:status` of the answer.
    package var status: UInt16
    /// The service's reason, of an open set; nil if it gave none in a form that is known.
    package var reason: String?
    /// The consequence for the message.
    package var verdict: Verdict
    /// The action beside the message.
    package var consequence: Consequence

    /// The least delay after 406 of Windows: an hour or more, by all that is known.
    package static let minimumWindowsDelayMilliseconds: UInt64 = 3_600_000

    /// Reads an answer. The page Verdicts has every case.
    ///
    /// - Parameters:
    ///   - body: the received part of the body; need not be text.
    ///   - retryAfterMilliseconds: the header `retry-after` in milliseconds from now; nil if the answer has none.
    ///   - detail: the header `x-wns-error-description` of Windows; nil if the answer has none.
    ///   - service: the service whose answer it is.
    ///   - isKeyProven: true if this service has accepted a message that was signed with the server's key, since the
    ///     server started: then a mismatch is a fault of the subscription.
    ///   - now: the time since which a dead subscription is dead: no service names it.
    package init(
        status: UInt16, body: [UInt8], retryAfterMilliseconds: UInt64? = nil, detail: String? = nil,
        service: WebPushService,
        isKeyProven: Bool, now: Timestamp
    ) {
        self.status = status
        let text = Self.text(of: body)
        reason =
            Self.reason(in: body, of: service)
            ?? detail.map { $0.printable(maximumBytes: AttemptEnd.maximumReasonBytes) }
        if Self.isKeyMismatch(status, text: text, detail: detail, reason: reason, service: service) {
            reason = reason ?? "key-mismatch"
            (verdict, consequence) =
                isKeyProven
                ? (.refused(.tokenNotForTopic, deadSince: nil), .none)
                : (.refused(.forbidden, deadSince: nil), .suspectKey)
        } else {
            (verdict, consequence) = Self.rule(
                for: status, service: service, retryAfterMilliseconds: retryAfterMilliseconds, now: now)
        }
        if verdict == .delivered { reason = nil }
    }

    private static func rule(
        for status: UInt16, service: WebPushService, retryAfterMilliseconds: UInt64?, now: Timestamp
    ) -> (Verdict, Consequence) {
        switch status {
        // Every success is final: a repetition would reach the device twice.
        case 200...299: return (.delivered, .none)
        case 404, 410: return (.refused(.tokenUnregistered, deadSince: now), .none)
        // Apple's reasons for this are for example BadJwtToken and BadVapidPublicKey.
        case 401, 403: return (.credentialRefused, .refuseKey)
        case 400, 405, 411, 415, 422: return (.refused(.badRequest, deadSince: nil), .none)
        case 413: return (.refused(.payloadTooLarge, deadSince: nil), .none)
        // Misdirected: it was not processed, and another connection may do (RFC 9110, section 15.5.20).
        case 421: return (.notProcessed, .replaceConnection)
        case 406 where service == .windows:
            let delayMilliseconds = max(retryAfterMilliseconds ?? 0, minimumWindowsDelayMilliseconds)
            return (
                .tryLater(.serverBusy, afterMilliseconds: delayMilliseconds),
                .slowDown(afterMilliseconds: delayMilliseconds)
            )
        // Apple's 429 is about one device. The others are taken as limits of the server.
        case 429 where service == .apple:
            return (.tryLater(.tokenThrottled, afterMilliseconds: retryAfterMilliseconds), .none)
        case 429:
            return (
                .tryLater(.serverBusy, afterMilliseconds: retryAfterMilliseconds),
                .slowDown(afterMilliseconds: retryAfterMilliseconds)
            )
        case 406, 409, 412, 414, 416, 417, 431: return (.refused(.refused, deadSince: nil), .none)
        // A redirect is not followed: it could lead anywhere.
        default: return (.tryLater(.serverBusy, afterMilliseconds: retryAfterMilliseconds), .serverError)
        }
    }

    /// Returns true if the answer says that the subscription was made with another key of the application server.
    private static func isKeyMismatch(
        _ status: UInt16, text: String, detail: String?, reason: String?, service: WebPushService
    ) -> Bool {
        switch service {
        // An operator's own push service may use the same words as Google's.
        case .google, .other: status == 403 && text.contains("do not correspond to the credentials")
        case .mozilla: status == 401 && reason == "errno-109"
        case .apple: (status == 400 || status == 403) && reason == "VapidPkHashMismatch"
        case .windows: status == 401 && (detail ?? "").lowercased().contains("key")
        }
    }

    private static func reason(in body: [UInt8], of service: WebPushService) -> String? {
        // Why try?: a body that is not JSON gives no reason.
        guard service == .apple || service == .mozilla, let members = try? JSONObjectParser.parse(body) else {
            return nil
        }
        if service == .apple {
            return members["reason"]?.string?.printable(maximumBytes: AttemptEnd.maximumReasonBytes)
        }
        guard case .integer(let number)? = members["errno"] else { return nil }
        return "errno-\(number)"
    }

    private static func text(of body: [UInt8]) -> String { String(decoding: body.prefix(1_024), as: UTF8.self) }
}
