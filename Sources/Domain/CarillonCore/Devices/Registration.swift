/// The registration of a token that an app has reported (REGISTER, Protocol 7.1).
public struct Registration: Hashable, Sendable {
    /// The app that reports the token.
    public var app: AppID
    /// The environment, the kind and the token.
    public var address: DeviceAddress
    /// The time at which the app received the token; zero means now. Of two registrations the later one wins.
    public var seenAt: Timestamp
    /// The token that this one replaces; nil if it replaces none.
    public var replaces: DeviceToken?
    /// A language tag; empty removes the stored one, nil leaves it.
    public var locale: String?
    /// An IANA time zone; empty removes the stored one, nil leaves it.
    public var timeZone: String?
    /// Attributes to set or to remove, no key twice; other keys stay as they are.
    public var attributes: [AttributeChange]
    /// Topics to which the device itself is subscribed in the same step; at most `maximumNames`.
    public var topics: [TopicName]
    /// Groups that the device joins in the same step; at most `maximumNames`.
    public var groups: [GroupName]
    /// The push subscription of a browser; nil for another device, and to keep the stored one.
    public var subscription: WebPushSubscription?

    /// The most topics, and the most groups, of one registration.
    public static let maximumNames = 64

    /// Makes a registration of a token that was received now, unless `seenAt` is given. Stored fields that are left out
    /// stay as they are.
    public init(
        app: AppID,
        address: DeviceAddress,
        seenAt: Timestamp = .zero,
        replaces: DeviceToken? = nil,
        locale: String? = nil,
        timeZone: String? = nil,
        attributes: [AttributeChange] = [],
        topics: [TopicName] = [],
        groups: [GroupName] = [],
        subscription: WebPushSubscription? = nil
    ) {
        self.app = app
        self.address = address
        self.seenAt = seenAt
        self.replaces = replaces
        self.locale = locale
        self.timeZone = timeZone
        self.attributes = attributes
        self.topics = topics
        self.groups = groups
        self.subscription = subscription
    }
}
