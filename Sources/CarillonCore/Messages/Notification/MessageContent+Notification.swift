extension MessageContent {
    /// Makes a content of what a notification says.
    ///
    /// - Parameters:
    ///   - translations: by language tag, what the alert says in that language. What a translation leaves out is as in
    ///     the notification itself.
    ///   - hasDefault: whether devices of other languages get the notification itself, or nothing.
    /// - Throws: a fault that names the field, as `payload.aps.badge` or `bodies.zh.aps.alert`.
    public init(
        app: AppID,
        pushType: PushType = .alert,
        notification: PushNotification,
        translations: [String: PushNotification.Alert] = [:],
        hasDefault: Bool = true,
        priority: Priority? = nil,
        expiration: Expiration = .unspecified,
        collapseID: String? = nil
    ) throws(MessageFault) {
        self.init(
            app: app,
            pushType: pushType,
            localized: try notification.localized(translations, hasDefault: hasDefault, for: pushType),
            priority: priority,
            expiration: expiration,
            collapseID: collapseID
        )
    }

    /// Makes a content of payloads in several languages.
    public init(
        app: AppID,
        pushType: PushType = .alert,
        localized: LocalizedPayload,
        priority: Priority? = nil,
        expiration: Expiration = .unspecified,
        collapseID: String? = nil
    ) {
        self.init(
            app: app,
            pushType: pushType,
            priority: priority,
            expiration: expiration,
            collapseID: collapseID,
            payload: localized.payload ?? [],
            bodies: localized.bodies
        )
    }
}
