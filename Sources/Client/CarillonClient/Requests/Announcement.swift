public import CarillonCore

/// The alert that the *other* devices of a group get when a device joins: "new sign-in on iPhone". It is sent at once.
public struct Announcement: Hashable, Sendable {
    /// The payloads by language.
    public var payload: LocalizedPayload

    /// Makes an announcement in several languages.
    public init(_ payload: LocalizedPayload) {
        self.payload = payload
    }

    /// Makes an announcement of a JSON object, which APNs gets byte for byte, and FCM and browsers in their form.
    public init(payload: [UInt8]) {
        self.payload = LocalizedPayload(payload: payload, bodies: [])
    }

    /// Makes an announcement of a notification and its translations, as `PushNotification.localized(_:hasDefault:for:)`
    /// takes them.
    ///
    /// - Throws: a fault that names the field.
    public init(
        _ notification: PushNotification,
        translations: [String: PushNotification.Alert] = [:]
    ) throws(MessageError) {
        payload = try notification.localized(translations)
    }

    /// Returns the content as the server gets it.
    func content(_ app: AppID) -> MessageContent {
        MessageContent(app: app, localized: payload)
    }
}
