/// The outcome of a delivery (Protocol 16.5), one byte on disk and wire. Each delivery has exactly one.
public struct Outcome: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The byte of the outcome.
    public let rawValue: UInt8

    /// Makes an outcome from its byte; numbers that this version does not know are kept.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The delivery has not ended yet.
    public static let pending = Outcome(rawValue: 0)
    /// The provider has accepted the push.
    public static let delivered = Outcome(rawValue: 1)
    /// The device was not registered, or was unregistered before its push began.
    public static let unregistered = Outcome(rawValue: 2)
    /// The time after which no attempt starts has passed: that of `notAfter` or `expiration`, or 30 s for a call that
    /// has neither.
    public static let expired = Outcome(rawValue: 3)
    /// Every attempt that the retry policy allows has failed.
    public static let gaveUp = Outcome(rawValue: 4)
    /// The push type does not fit the token kind.
    public static let wrongKind = Outcome(rawValue: 5)
    /// There is no usable credential for the app and destination.
    public static let noCredential = Outcome(rawValue: 6)
    /// The device was quarantined: its provider had declared its token dead before.
    public static let quarantined = Outcome(rawValue: 7)
    /// The device, or a group that it is in, is muted.
    public static let muted = Outcome(rawValue: 8)
    /// The content has no body in the device's language and no default.
    public static let noLanguage = Outcome(rawValue: 9)
    /// The message was cancelled before the delivery.
    public static let cancelled = Outcome(rawValue: 10)
    /// The silent push would have exceeded the device's silent-push budget.
    public static let overBudget = Outcome(rawValue: 11)
    /// The device left the audience after its page was fixed and before it was sent to.
    public static let left = Outcome(rawValue: 12)
    /// The provider no longer knows the token (APNs 410 Unregistered, FCM UNREGISTERED, a browser's 404 or 410).
    public static let tokenUnregistered = Outcome(rawValue: 32)
    /// The token has expired (APNs 410 ExpiredToken).
    public static let tokenExpired = Outcome(rawValue: 33)
    /// The token is not valid (APNs 400 BadDeviceToken, FCM INVALID_ARGUMENT of the token).
    public static let badToken = Outcome(rawValue: 34)
    /// The token belongs to another app or key (APNs 400 DeviceTokenNotForTopic).
    public static let tokenNotForTopic = Outcome(rawValue: 35)
    /// The payload is larger than the provider takes (413 of any provider).
    public static let payloadTooLarge = Outcome(rawValue: 36)
    /// The provider does not allow pushes to the app with this credential (APNs 400 TopicDisallowed).
    public static let topicDisallowed = Outcome(rawValue: 37)
    /// The topic of the push is wrong or missing (APNs 400 BadTopic, MissingTopic).
    public static let badTopic = Outcome(rawValue: 38)
    /// The provider refused another part of the request.
    public static let badRequest = Outcome(rawValue: 39)
    /// The provider refuses the request for its credential (APNs 403 Forbidden). FCM: the token is not of this project.
    /// A browser: the subscription is not of this VAPID key.
    public static let forbidden = Outcome(rawValue: 40)
    /// The broadcast channel does not exist, or has been deleted (APNs 400 ChannelNotRegistered).
    public static let noChannel = Outcome(rawValue: 41)
    /// The provider refused for a reason unknown to this server.
    public static let refused = Outcome(rawValue: 63)

    /// True if the provider refused the push. The numbers from 32 mean this, also those that this version does not
    /// know (Protocol 16.5).
    package var isProviderRefusal: Bool { rawValue >= 32 }

    private static let names: [Outcome: String] = [
        .pending: "pending", .delivered: "delivered", .unregistered: "unregistered", .expired: "expired",
        .gaveUp: "gave-up", .wrongKind: "wrong-kind", .noCredential: "no-credential", .quarantined: "quarantined",
        .muted: "muted", .noLanguage: "no-language", .cancelled: "cancelled", .overBudget: "over-budget", .left: "left",
        .tokenUnregistered: "token-unregistered", .tokenExpired: "token-expired", .badToken: "bad-token",
        .tokenNotForTopic: "token-not-for-topic", .payloadTooLarge: "payload-too-large",
        .topicDisallowed: "topic-disallowed", .badTopic: "bad-topic", .badRequest: "bad-request",
        .forbidden: "forbidden", .noChannel: "no-channel", .refused: "refused",
    ]

    /// The outcomes that have a name, ascending.
    package static let named: [Outcome] = names.keys.sorted()

    /// The name of Protocol 16.5, or `outcome-N` for a number that this version does not know.
    public var name: String { Self.names[self] ?? "outcome-\(rawValue)" }

    /// The name as in events, JSON and metrics: `bad-token`.
    public var description: String { name }

    /// Compares two outcomes by number.
    public static func < (left: Outcome, right: Outcome) -> Bool { left.rawValue < right.rawValue }
}
