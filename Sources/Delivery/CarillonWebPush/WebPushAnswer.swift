package import CarillonCore
package import CarillonProvider

/// The meaning of push services' answers other than a success (RFC 8030, section 5; RFC 8292, section 4.2).
/// `CarillonWebPush.docc/Verdicts.md` has every case.
package enum WebPushAnswer {
    /// The shortest delay after 406 of Windows, in milliseconds: an hour. Windows is known to ask for an hour or more.
    package static let minimumWindowsDelayMilliseconds: UInt64 = Milliseconds.perHour

    /// Judges an answer other than a success.
    ///
    /// The result does not say since when a subscription is dead, because no service does: the token breaker judges
    /// whether the answer is believed.
    ///
    /// - Parameters:
    ///   - body: the received part of the body; need not be text.
    ///   - retryAfterMilliseconds: the header `retry-after` in milliseconds from now; nil if the answer has none.
    ///   - detail: the header `x-wns-error-description` of Windows; nil if the answer has none.
    ///   - service: the service whose answer it is.
    ///   - isKeyProven: true if this service has accepted a message that was signed with the server's key, since the
    ///     server started: then a mismatch is a fault of the subscription.
    package static func judgeFailure(
        status: UInt16, body: [UInt8], retryAfterMilliseconds: UInt64? = nil, detail: String? = nil,
        service: WebPushService, isKeyProven: Bool
    ) -> ProviderAnswer {
        let text = String(decoding: body.prefix(1_024), as: UTF8.self)
        // Another service with texts of its own could fill the table of reasons in the metrics.
        let detail = service == .windows ? detail : nil
        let shown = detail?.printable(maximumBytes: AttemptEnd.maximumReasonBytes)
        let reason = readReason(in: body, of: service) ?? (shown == "" ? nil : shown)
        guard !isKeyMismatch(status, text: text, detail: detail, reason: reason, service: service) else {
            return ProviderAnswer(
                status: status, reason: reason ?? "key-mismatch",
                meaning: .refused(isKeyProven ? .tokenNotForTopic : .forbidden))
        }
        return ProviderAnswer(
            status: status, reason: reason,
            meaning: meaning(of: status, service: service, retryAfterMilliseconds: retryAfterMilliseconds))
    }

    private static func meaning(
        of status: UInt16, service: WebPushService, retryAfterMilliseconds: UInt64?
    ) -> AnswerMeaning {
        switch status {
        case 404, 410: return .refused(.tokenUnregistered)
        // Apple's reasons for this are for example BadJwtToken and BadVapidPublicKey.
        case 401, 403: return .credentialRefused
        case 400, 405, 411, 415, 422: return .refused(.badRequest)
        case 413: return .refused(.payloadTooLarge)
        // Misdirected: it was not processed, and another connection may do (RFC 9110, section 15.5.20).
        case 421: return .notProcessed(then: .replaceConnection)
        case 406 where service == .windows:
            return slowDown(afterMilliseconds: max(retryAfterMilliseconds ?? 0, minimumWindowsDelayMilliseconds))
        // Apple's 429 is about one device. The others are taken as limits of the server.
        case 429 where service == .apple:
            return .tryLater(.throttled, afterMilliseconds: retryAfterMilliseconds)
        case 429: return slowDown(afterMilliseconds: retryAfterMilliseconds)
        case 406, 409, 412, 414, 416, 417, 431: return .refused(.refused)
        // A redirect is not followed: it could lead anywhere.
        default:
            return .tryLater(.serverBusy, afterMilliseconds: retryAfterMilliseconds, then: .countServerError)
        }
    }

    private static func slowDown(afterMilliseconds delayMilliseconds: UInt64?) -> AnswerMeaning {
        .tryLater(
            .serverBusy, afterMilliseconds: delayMilliseconds, then: .slowDown(afterMilliseconds: delayMilliseconds))
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
        case .windows: status == 401 && (detail ?? "").lowercased().contains("public key")
        }
    }

    private static func readReason(in body: [UInt8], of service: WebPushService) -> String? {
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
}

/// The push service of an endpoint. The answers of the services differ.
package enum WebPushService: String, Hashable, Sendable, CaseIterable {
    /// The service of Chrome and its relatives.
    case google
    /// The service of Firefox.
    case mozilla
    /// The service of Safari.
    case apple
    /// The service of Edge on Windows.
    case windows
    /// Any other service, for example of the operator.
    case other

    /// Finds the service of an endpoint.
    package init(_ endpoint: HTTPSAddress) {
        let host = endpoint.host
        self =
            if ["fcm.googleapis.com", "jmt17.google.com", "android.googleapis.com"].contains(host) {
                .google
            } else if host.hasSuffix(".push.services.mozilla.com") {
                .mozilla
            } else if host.hasSuffix(".push.apple.com") {
                .apple
            } else if host.hasSuffix(".notify.windows.com") {
                .windows
            } else {
                .other
            }
    }
}
