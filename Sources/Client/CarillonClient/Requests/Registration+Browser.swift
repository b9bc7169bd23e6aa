public import CarillonCore
import CarillonTLS

/// Registrations of browsers.
extension Registration {
    /// Makes a registration of a browser: its token is the SHA-256 of the endpoint (Protocol 16.3).
    ///
    /// - Parameters:
    ///   - subscription: the subscription that the browser gave the page. `WebPushSubscription(json:)` reads the JSON
    ///     of `PushSubscription.toJSON()`.
    ///   - replaces: the endpoint of the subscription that this one replaces; nil if it replaces none.
    public init(
        app: AppID,
        subscription: WebPushSubscription,
        seenAt: Timestamp = .zero,
        replaces: String? = nil,
        locale: String? = nil,
        timeZone: String? = nil,
        attributes: [AttributeChange] = [],
        topics: [TopicName] = [],
        groups: [GroupName] = []
    ) {
        self.init(
            app: app, address: DeviceAddress(browserAt: subscription.endpoint), seenAt: seenAt,
            replaces: replaces.map { DeviceAddress(browserAt: $0).token }, locale: locale, timeZone: timeZone,
            attributes: attributes, topics: topics, groups: groups, subscription: subscription)
    }
}

extension DeviceAddress {
    /// Makes the address of a browser with a push subscription.
    public init(browserAt endpoint: String) {
        guard let token = DeviceToken(SHA256.hash(Array(endpoint.utf8))) else {
            preconditionFailure("a digest is not a token")
        }
        self.init(environment: .production, kind: .web, token: token)
    }
}
