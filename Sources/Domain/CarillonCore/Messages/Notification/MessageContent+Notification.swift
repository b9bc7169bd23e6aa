/// Contents made from notifications.
extension MessageContent {
    /// Makes a content from a notification.
    ///
    /// - Parameters:
    ///   - translations: alerts by language tag. A field that a translation leaves out is taken from the notification.
    ///   - hasDefault: true if devices of other languages get the notification itself; otherwise they get nothing.
    /// - Throws: a fault that names the field, such as `payload.aps.badge` or `bodies.zh.aps.alert`.
    public init(
        app: AppID,
        pushType: PushType = .alert,
        notification: PushNotification,
        translations: [String: PushNotification.Alert] = [:],
        hasDefault: Bool = true,
        priority: Priority? = nil,
        expiration: Expiration = .unspecified,
        collapseID: String? = nil
    ) throws(MessageError) {
        self.init(
            app: app,
            pushType: pushType,
            localized: try notification.localized(translations, hasDefault: hasDefault, for: pushType),
            priority: priority,
            expiration: expiration,
            collapseID: collapseID
        )
    }

    /// Makes a content from payloads in several languages.
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
