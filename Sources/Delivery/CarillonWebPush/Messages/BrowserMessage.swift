package import CarillonCore

/// Converts content to the plaintext for browsers: declarative Web Push (Push API, "declarative push message"; WebKit
/// since Safari 18.4). A service worker of any browser can read the same JSON.
package enum BrowserMessage {
    /// The number that says that a message is declarative: 8030, the number of the RFC.
    private static let webPush: Int64 = 8_030
    /// The field of the fault of a content without a text.
    package static let titleField = "web.notification.title"

    /// Returns the plaintext, which is JSON, or the bytes that the sender gave as `web_raw`.
    ///
    /// - Parameters:
    ///   - payloadIndex: 0 for `MessageContent.payload`, n for `bodies[n − 1]`.
    ///   - message: the id to put into the data, if the content has a key for it.
    /// - Throws: the first fault of the content.
    package static func plaintext(
        of content: MessageContent, payloadIndex: UInt8 = 0, message: MessageID = MessageID(rawValue: 0)
    ) throws(MessageError) -> [UInt8] {
        do throws(MessageError) {
            return try encode(content, payloadIndex: payloadIndex, message: message)
        } catch {
            // If the payload alone has a fault, encoding it without the fields for browsers throws that fault.
            guard content.web != nil, error.field == "web" || error.field.hasPrefix("web.") else { throw error }
            var payload = content
            payload.web = nil
            _ = try encode(payload, payloadIndex: payloadIndex, message: message)
            throw error
        }
    }

    private static func encode(
        _ content: MessageContent, payloadIndex: UInt8, message: MessageID
    ) throws(MessageError) -> [UInt8] {
        let plaintext: [UInt8]
        var field = content.web == nil ? "payload" : "web"
        if case .raw(let bytes) = content.web {
            plaintext = bytes
            field = "web_raw"
        } else {
            let members = try Self.members(of: content, payloadIndex: payloadIndex, message: message)
            do throws(MessageError) {
                plaintext = try JSONValue.encode(members, field: field)
            } catch {
                // The path of the fault is in the message to the browser. The sender has written only the payload, and
                // gets its field.
                throw content.web == nil ? MessageError(field: field, text: error.text, limit: error.limit) : error
            }
        }
        let limit = MessageEncryption.maximumPlaintextBytes
        guard plaintext.count <= limit else {
            throw MessageError(
                field: field, text: "\(plaintext.count) bytes for browsers; the limit is \(limit)", limit: limit)
        }
        return plaintext
    }

    /// Checks every payload of a content; throws the first fault. The fault of a payload in a language has a field that
    /// begins with `bodies.` and the language.
    package static func check(_ content: MessageContent) throws(MessageError) {
        let longest = MessageID(rawValue: .max)
        if let collapseID = content.collapseID { try MessageRules.checkCollapseID(collapseID) }
        if !content.payload.isEmpty || content.bodies.isEmpty {
            _ = try plaintext(of: content, payloadIndex: 0, message: longest)
        }
        for (index, body) in content.bodies.prefix(MessageContent.maximumBodies).enumerated() {
            do throws(MessageError) {
                _ = try plaintext(of: content, payloadIndex: UInt8(index + 1), message: longest)
            } catch {
                guard error.field.hasPrefix("payload") else { throw error }
                let field = "bodies.\(body.language).\(error.field)"
                throw MessageError(field: field, text: error.text, limit: error.limit)
            }
        }
    }

    private static func members(
        of content: MessageContent, payloadIndex: UInt8, message: MessageID
    ) throws(MessageError) -> [String: JSONValue] {
        guard content.pushType == .alert else {
            let text = "browsers show every push, and have no \(content.pushType.name) pushes: give the bytes as raw"
            throw MessageError(field: "push_type", text: text)
        }
        let overrides = try WebOverrides(of: content)
        var data = try JSONObjectParser.members(
            of: content.payload(at: payloadIndex, message: message), field: "payload")
        let aps = data.removeValue(forKey: "aps")?.members ?? [:]
        var notification = composed(of: aps, data: data, content: content)
        if payloadIndex > 0, Int(payloadIndex) <= content.bodies.count {
            notification["lang"] = .text(content.bodies[Int(payloadIndex) - 1].language)
        }
        for (name, value) in overrides.notification { notification[name] = value == .null ? nil : value }
        try checkTexts(of: notification, alert: aps["alert"]?.members ?? [:])
        // A title is required; a text alone takes its place.
        if notification["title"] == nil { notification["title"] = notification.removeValue(forKey: "body") }
        try check(notification)
        var members: [String: JSONValue] = ["notification": .object(notification)]
        // Both members are required. Without the address to open, only a service worker can show the message.
        if notification["navigate"] != nil { members["web_push"] = .integer(webPush) }
        if overrides.isMutable ?? (aps["mutable-content"]?.double == 1) { members["mutable"] = true }
        return members
    }

    private static func composed(
        of aps: [String: JSONValue], data: [String: JSONValue], content: MessageContent
    ) -> [String: JSONValue] {
        var notification: [String: JSONValue] = [:]
        var title: JSONValue?
        var text: JSONValue?
        switch aps["alert"] {
        case .text(let body): text = .text(body)
        case .object(let alert): (title, text) = (alert["title"], alert["body"])
        default: break
        }
        notification["title"] = title
        notification["body"] = text
        if !data.isEmpty { notification["data"] = .object(data) }
        // The address that a click opens, if the app's own data has one under that name.
        if let url = data["navigate"]?.string, HTTPSAddress(url.prefix { $0 != "#" }) != nil {
            notification["navigate"] = .text(url)
        }
        notification["tag"] = content.collapseID.map { .text($0) }
        if let badge = aps["badge"]?.double { notification["app_badge"] = .integer(Int64(max(0, min(badge, 1e9)))) }
        if aps["interruption-level"]?.string == "passive" { notification["silent"] = true }
        return notification
    }

    /// Checks that each text that the content has for other devices has one for browsers.
    private static func checkTexts(
        of notification: [String: JSONValue], alert: [String: JSONValue]
    ) throws(MessageError) {
        for (name, key) in [("title", "title-loc-key"), ("body", "loc-key")]
        where notification[name] == nil && alert[key]?.string != nil {
            throw MessageError(
                field: "payload.aps.alert.\(key)", text: "browsers have no tables of texts: give \(name) too")
        }
    }

    /// Checks the members that browsers require, and the types of the members that they know. Other members pass: a
    /// service worker may read them.
    private static func check(_ notification: [String: JSONValue]) throws(MessageError) {
        guard let title = notification["title"]?.string, !title.isEmpty else {
            throw MessageError(field: titleField, text: "browsers need a title")
        }
        for name in ["body", "lang", "tag", "icon", "image", "badge"] {
            guard let value = notification[name] else { continue }
            guard value.string != nil else {
                throw MessageError(field: "web.notification.\(name)", text: "must be a string")
            }
        }
        if let navigate = notification["navigate"] {
            guard let url = navigate.string, HTTPSAddress(url.prefix { $0 != "#" }) != nil else {
                throw MessageError(field: "web.notification.navigate", text: "must be an https URL")
            }
        }
        if let direction = notification["dir"] {
            guard ["auto", "ltr", "rtl"].contains(direction.string ?? "") else {
                throw MessageError(field: "web.notification.dir", text: "must be one of auto, ltr, rtl")
            }
        }
        for name in ["silent", "require_interaction"] {
            guard let value = notification[name] else { continue }
            guard case .bool = value else {
                throw MessageError(field: "web.notification.\(name)", text: "must be true or false")
            }
        }
        if let actions = notification["actions"] { try check(actions: actions) }
    }

    private static func check(actions: JSONValue) throws(MessageError) {
        guard case .array(let actions) = actions else {
            throw MessageError(field: "web.notification.actions", text: "must be an array")
        }
        for action in actions {
            for name in ["action", "title"] {
                guard action.members?[name]?.string?.isEmpty == false else {
                    throw MessageError(
                        field: "web.notification.actions.\(name)", text: "each action needs the string \(name)")
                }
            }
        }
    }
}
