/// The payload of a notification, for all devices and by language.
extension PushNotification {
    /// Returns the JSON of the notification in the canonical form of `Protocol/Payloads.md`: equal notifications give
    /// equal bytes.
    ///
    /// - Parameter type: the push type; its rules are checked as the server checks them.
    /// - Throws: a fault that names the field: `payload.aps.sound.volume`, or `data.aps` for a reserved name.
    public func payload(for type: PushType = .alert) throws(MessageError) -> [UInt8] {
        let payload = try CanonicalJSONWriter.write(try members(), field: "payload")
        try MessageRules.checkPayload(payload, for: type)
        return payload
    }

    private func members() throws(MessageError) -> [String: JSONValue] {
        var members = data
        for name in ["aps"] + (mdm == nil ? [] : ["mdm"]) where data[name] != nil {
            throw MessageError(field: "data.\(name)", text: "the name is not free")
        }
        let aps = try aps()
        if !aps.isEmpty { members["aps"] = .object(aps) }
        members["mdm"] = mdm.map { .text($0) } ?? members["mdm"]
        return members
    }

    private func aps() throws(MessageError) -> [String: JSONValue] {
        var aps = liveActivity?.json ?? [:]
        if liveActivity == nil {
            aps["alert"] = alert?.json
            aps["sound"] = sound?.json
        } else {
            guard alert != nil || sound == nil else {
                throw MessageError(field: "payload.aps.sound", text: "the sound of a Live Activity needs an alert")
            }
            guard alert?.launchImage == nil else {
                throw MessageError(
                    field: "payload.aps.alert.launch-image",
                    text: "the alert of a Live Activity has none"
                )
            }
            aps["alert"] = alert?.liveActivityJSON(sound)
        }
        aps["badge"] = badge.map { .integer(Int64($0)) }
        aps["thread-id"] = threadID.map { .text($0) }
        aps["category"] = category.map { .text($0) }
        if isContentAvailable { aps["content-available"] = 1 }
        if isContentMutable { aps["mutable-content"] = 1 }
        aps["interruption-level"] = interruptionLevel.map { .text($0.rawValue) }
        aps["relevance-score"] = relevanceScore.map { .number($0) }
        aps["target-content-id"] = targetContentID.map { .text($0) }
        aps["filter-criteria"] = filterCriteria.map { .text($0) }
        if isContentChanged { aps["content-changed"] = true }
        aps["url-args"] = urlArguments.map { JSONValue($0) }
        return aps
    }
}

extension PushNotification {
    /// Returns the notification in several languages.
    ///
    /// - Parameters:
    ///   - translations: alerts by language tag. A field that a translation leaves out is taken from the notification.
    ///   - hasDefault: true if devices of other languages get the notification itself; otherwise they get nothing.
    ///   - type: the push type, as for `payload(for:)`.
    /// - Throws: a fault; for a translation its field begins with `bodies.` and the tag.
    public func localized(
        _ translations: [String: Alert],
        hasDefault: Bool = true,
        for type: PushType = .alert
    ) throws(MessageError) -> LocalizedPayload {
        var localized = LocalizedPayload(payload: hasDefault ? try payload(for: type) : nil, bodies: [])
        var previous: String?
        let sorted = translations.map { (tag: $0.key.lowercased(), language: $0.key, alert: $0.value) }
            .sorted { ($0.tag, $0.language) < ($1.tag, $1.language) }
        for (tag, language, alert) in sorted {
            guard DeviceFieldSyntax.isLanguageTag(language), tag != previous else {
                let text = tag == previous ? "the language is given twice" : "must be a language tag (RFC 5646)"
                throw MessageError(field: "bodies.\(language)", text: text)
            }
            previous = tag
            var translated = self
            translated.alert = self.alert?.overridden(by: alert) ?? alert
            localized.bodies.append(LanguageBody(language: language, payload: try translated.body(language, for: type)))
        }
        return localized
    }

    private func body(_ language: String, for type: PushType) throws(MessageError) -> [UInt8] {
        do {
            return try payload(for: type)
        } catch {
            guard let path = error.field.removing(prefix: "payload") else { throw error }
            var fault = error
            fault.field = "bodies.\(language)\(path)"
            throw fault
        }
    }
}

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
