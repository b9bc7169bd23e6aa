import CarillonCore

/// Converts content to FCM's message: the same fields as for Apple, and the fields that the sender gave for Android
/// alone.
enum FCMMessage {
    /// Returns `message` without its target, with all of FCM's rules checked.
    static func members(
        of content: MessageContent, payloadIndex: UInt8, message: MessageID, at now: Timestamp
    ) throws(MessageError) -> [String: JSONValue] {
        var members: [String: JSONValue]
        if case .raw(let bytes) = content.android {
            members = try FCMSchema.normalized(
                try object(bytes, field: "android_raw"), by: FCMSchema.message, field: "android_raw")
        } else {
            members = try composed(of: content, payloadIndex: payloadIndex, message: message, at: now)
            if case .overrides(let bytes) = content.android {
                let overrides = try FCMSchema.normalized(
                    try object(bytes, field: "android"), by: FCMSchema.android, field: "android", allowsNull: true)
                let merged = merge(overrides, into: members["android"]?.members ?? [:])
                members["android"] = merged.isEmpty ? nil : .object(merged)
            }
        }
        try check(members)
        return members
    }

    private static func object(_ bytes: [UInt8], field: String) throws(MessageError) -> [String: JSONValue] {
        guard bytes.count <= AndroidContent.maximumBytes else {
            throw MessageError(field: field, text: "\(bytes.count) bytes", limit: AndroidContent.maximumBytes)
        }
        do throws(JSONError) {
            return try JSONObjectParser.parse(bytes)
        } catch {
            throw MessageError(field: field, text: error.sentence(in: bytes))
        }
    }

    // MARK: From Apple's fields

    private static func composed(
        of content: MessageContent, payloadIndex: UInt8, message: MessageID, at now: Timestamp
    ) throws(MessageError) -> [String: JSONValue] {
        guard content.pushType == .alert || content.pushType == .background else {
            throw MessageError(
                field: "push_type", text: "Android has no \(content.pushType.name) pushes: give the message as raw")
        }
        let payload = content.payload(at: payloadIndex, message: message)
        var ownKeys = try object(payload, field: "payload")
        let aps = ownKeys.removeValue(forKey: "aps")?.members ?? [:]
        var members: [String: JSONValue] = [:]
        var data: [String: JSONValue] = [:]
        for (name, value) in ownKeys { data[name] = .text(try value.text(field: "payload.\(name)")) }
        try FCMData.check(data, field: "payload")
        if !data.isEmpty { members["data"] = .object(data) }

        var android: [String: JSONValue] = [:]
        if content.pushType == .alert {
            let notification = notification(of: aps, collapseID: content.collapseID)
            if !notification.common.isEmpty { members["notification"] = .object(notification.common) }
            if !notification.android.isEmpty { android["notification"] = .object(notification.android) }
        }
        let priority = content.priority ?? content.pushType.usualPriority
        android["priority"] = priority == .immediate ? "HIGH" : "NORMAL"
        android["collapse_key"] = content.collapseID.map { .text($0) }
        android["ttl"] = ttlSeconds(of: content.expiration, at: now).map { .text("\($0)s") }
        members["android"] = .object(android)
        return members
    }

    /// Returns the fields of `message.notification`, which every platform reads, and of `message.android.notification`.
    private static func notification(
        of aps: [String: JSONValue], collapseID: String?
    ) -> (common: [String: JSONValue], android: [String: JSONValue]) {
        var common: [String: JSONValue] = [:]
        var android: [String: JSONValue] = [:]
        switch aps["alert"] {
        case .text(let body): common["body"] = .text(body)
        case .object(let alert):
            common["title"] = alert["title"].flatMap(text)
            common["body"] = alert["body"].flatMap(text)
            for (prefix, name) in [("title-", "title"), ("", "body")] {
                guard let key = alert[prefix + "loc-key"].flatMap(text) else { continue }
                android[name + "_loc_key"] = key
                if case .array(let arguments) = alert[prefix + "loc-args"], !arguments.isEmpty {
                    android[name + "_loc_args"] = .array(arguments)
                }
            }
        default: break
        }
        switch aps["sound"] {
        case .text(let sound): android["sound"] = .text(sound)
        case .object(let sound): android["sound"] = sound["name"].flatMap(text)
        default: break
        }
        if let badge = aps["badge"]?.double, badge >= 1 {
            android["notification_count"] = .integer(Int64(min(badge, Double(Int32.max))))
        }
        switch aps["interruption-level"]?.string {
        case "passive": android["notification_priority"] = "PRIORITY_LOW"
        case "active": android["notification_priority"] = "PRIORITY_DEFAULT"
        case "time-sensitive": android["notification_priority"] = "PRIORITY_HIGH"
        case "critical": android["notification_priority"] = "PRIORITY_MAX"
        default: break
        }
        // The collapse key only drops what FCM still stores; the tag replaces what the device shows, as a collapse id
        // does.
        if !common.isEmpty || !android.isEmpty { android["tag"] = collapseID.map { .text($0) } }
        return (common, android)
    }

    private static func text(_ value: JSONValue) -> JSONValue? { value.string.map { .text($0) } }

    /// Returns the seconds for which FCM stores a message, rounded down as FCM does; nil for FCM's own choice of 28
    /// days.
    static func ttlSeconds(of expiration: Expiration, at now: Timestamp) -> UInt64? {
        switch expiration {
        case .unspecified: return nil
        case .once: return 0
        case .at(let seconds):
            let current = now.milliseconds / 1_000
            return seconds > current ? min(seconds - current, FCMSchema.maximumStoredSeconds) : 0
        }
    }

    // MARK: Overrides and rules

    /// Returns `base` with the members of `other`: objects are merged, null removes, all else replaces. The app's
    /// own keys (`data`) are replaced as a whole, as FCM does with `android.data` and `data`.
    private static func merge(
        _ other: [String: JSONValue], into base: [String: JSONValue]
    ) -> [String: JSONValue] {
        var result = base
        for (name, value) in other {
            switch (value, result[name]) {
            case (.null, _): result[name] = nil
            case (.object(let members), .object(let old)?) where name != "data":
                let merged = merge(members, into: old)
                result[name] = merged.isEmpty ? nil : .object(merged)
            case (.object(let members), _) where name != "data":
                let kept = merge(members, into: [:])
                result[name] = kept.isEmpty ? nil : .object(kept)
            default: result[name] = value
            }
        }
        return result
    }

    /// Checks the message as a whole: sizes, and fields that need others.
    private static func check(_ members: [String: JSONValue]) throws(MessageError) {
        let android = members["android"]?.members ?? [:]
        let notification = android["notification"]?.members ?? [:]
        for name in ["title", "body"] where notification["\(name)_loc_args"] != nil {
            guard notification["\(name)_loc_key"] != nil else {
                throw MessageError(
                    field: "android.notification.\(name)_loc_args", text: "arguments need \(name)_loc_key")
            }
        }
        if let key = android["collapse_key"]?.string, key.utf8.count > 64 || key.isEmpty {
            throw MessageError(field: "android.collapse_key", text: "1 to 64 bytes, not \(key.utf8.count)")
        }
        let size = FCMSize.bytes(of: members)
        guard size <= FCMSize.maximumBytes else {
            throw MessageError(
                field: "payload", text: "\(size) bytes for FCM; the limit is \(FCMSize.maximumBytes)",
                limit: FCMSize.maximumBytes)
        }
    }
}
