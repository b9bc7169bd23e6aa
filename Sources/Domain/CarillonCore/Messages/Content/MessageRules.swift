/// The rules that a message must meet before it is stored or sent (Protocol 10.1 and 16.4). They are the requirements
/// of APNs for each push type, the form of the contents for Android and browsers, and Carillon's own rules for labels
/// and the key of the id.
package enum MessageRules {
    /// Checks a content; throws the first violation.
    package static func check(_ content: MessageContent) throws(MessageError) {
        if let priority = content.priority { try checkPriority(priority, for: content.pushType) }
        if !content.payload.isEmpty || content.bodies.isEmpty {
            try checkPayload(content.payload, for: content.pushType)
            try checkIDKey(content.idKey, in: content.payload, for: content.pushType)
        }
        for body in content.bodies {
            do throws(MessageError) {
                try checkPayload(body.payload, for: content.pushType)
                try checkIDKey(content.idKey, in: body.payload, for: content.pushType)
            } catch {
                throw MessageError(
                    field: "bodies.\(body.language).\(error.field)", text: error.text, limit: error.limit)
            }
        }
        if let android = content.android { try checkAndroid(android, for: content.pushType) }
        if let web = content.web { try checkWeb(web, for: content.pushType) }
        try checkExpiration(content.expiration, for: content.pushType)
        if let collapseID = content.collapseID { try checkCollapseID(collapseID) }
    }

    /// Checks that APNs accepts this priority for the push type.
    package static func checkPriority(_ priority: Priority, for type: PushType) throws(MessageError) {
        guard type.priorities.contains(priority) else {
            throw MessageError(field: "priority", text: "\(priority.rawValue) is an error for \(type.name)")
        }
    }

    /// Checks that APNs may store a push of this push type with this expiration.
    package static func checkExpiration(_ expiration: Expiration, for type: PushType) throws(MessageError) {
        if type == .pushtotalk, case .at = expiration {
            throw MessageError(field: "expiration", text: "a pushtotalk push is not stored: 0 or absent")
        }
    }

    /// Checks the form of the content for Android devices, and that the push type goes to them. FCM's requirements are
    /// checked by its own rules.
    package static func checkAndroid(_ android: AndroidContent, for type: PushType) throws(MessageError) {
        let (field, bytes) =
            switch android {
            case .overrides(let bytes): ("android", bytes)
            case .raw(let bytes): ("android_raw", bytes)
            }
        guard type.reaches(.fcm) else {
            throw MessageError(field: field, text: "\(type.name) pushes do not go to Android")
        }
        try checkObject(bytes, maximumBytes: AndroidContent.maximumBytes, field: field)
    }

    /// Checks the form of the content for browsers, and that the push type goes to them. Its meaning is checked by the
    /// rules of Web Push.
    package static func checkWeb(_ web: WebContent, for type: PushType) throws(MessageError) {
        let (field, bytes) =
            switch web {
            case .overrides(let bytes): ("web", bytes)
            case .raw(let bytes): ("web_raw", bytes)
            }
        guard type.reaches(.web) else {
            throw MessageError(field: field, text: "\(type.name) pushes do not go to browsers")
        }
        try checkObject(bytes, maximumBytes: WebContent.maximumBytes, field: field)
    }

    private static func checkObject(_ bytes: [UInt8], maximumBytes limit: Int, field: String) throws(MessageError) {
        guard bytes.count <= limit else {
            throw MessageError(field: field, text: "\(bytes.count) bytes; the limit is \(limit)", limit: limit)
        }
        _ = try parseMembers(of: bytes, field: field)
    }

    /// Checks a collapse id: 1 to 64 bytes without control characters, and without a space at its ends.
    package static func checkCollapseID(_ collapseID: String) throws(MessageError) {
        // A control character could end a header line at a peer that translates to HTTP/1.
        try checkLine(collapseID, maximumBytes: 64, field: "collapse_id")
        // It is the value of a header, and such a request is malformed (RFC 9113, section 8.2.1).
        let space = UInt8(ascii: " ")
        guard collapseID.utf8.first != space, collapseID.utf8.last != space else {
            throw MessageError(field: "collapse_id", text: "a space at the beginning or the end is not allowed")
        }
    }

    /// Checks a label: 1 to 100 bytes without control characters.
    package static func checkLabel(_ label: String) throws(MessageError) {
        // A control character could change what a terminal or a log shows.
        try checkLine(label, maximumBytes: Message.maximumLabelBytes, field: "label")
    }

    private static func checkLine(_ text: String, maximumBytes: Int, field: String) throws(MessageError) {
        guard (1...maximumBytes).contains(text.utf8.count) else {
            throw MessageError(field: field, text: "1 to \(maximumBytes) bytes, not \(text.utf8.count)")
        }
        guard !text.unicodeScalars.contains(where: \.isControlCharacter) else {
            throw MessageError(field: field, text: "control characters are not allowed")
        }
    }

    /// Checks the key for the message's id: its form, that the payload has no such member, and that the id fits.
    package static func checkIDKey(_ idKey: String?, in payload: [UInt8], for type: PushType) throws(MessageError) {
        guard let idKey else { return }
        let isAllowed = { (byte: UInt8) in byte.isASCIILetter || byte.isASCIIDigit || "-_.".utf8.contains(byte) }
        guard (1...64).contains(idKey.utf8.count), idKey.utf8.allSatisfy(isAllowed), idKey != "aps" else {
            throw MessageError(field: "id_key", text: "1 to 64 letters, digits and -_., and not aps")
        }
        guard try parseMembers(of: payload)[idKey] == nil else {
            throw MessageError(field: "id_key", text: "the payload has a member \(idKey) already")
        }
        let limit = type.maximumPayloadBytes
        guard payload.count + PayloadID.maximumBytes(of: idKey) <= limit else {
            throw MessageError(
                field: "payload", text: "with the message's id it can have more than \(limit) bytes", limit: limit)
        }
    }

    /// Checks a payload: its size, its form and the requirements of the push type.
    package static func checkPayload(_ payload: [UInt8], for type: PushType) throws(MessageError) {
        try checkMembers(try parseMembers(of: payload, limit: type.maximumPayloadBytes, subject: type.name), for: type)
    }

    /// The largest payload of a broadcast push, in bytes.
    package static let maximumBroadcastBytes = 5_120

    /// Checks the payload of a broadcast push, which is the payload of a Live Activity. It cannot start one.
    package static func checkBroadcastPayload(_ payload: [UInt8]) throws(MessageError) {
        let members = try parseMembers(of: payload, limit: maximumBroadcastBytes, subject: "a broadcast push")
        try checkMembers(members, for: .liveactivity)
        guard members["aps"]?.members?["event"]?.string != "start" else {
            throw MessageError(field: "payload.aps.event", text: "a broadcast push cannot start a Live Activity")
        }
    }

    /// Checks that a push type can be sent to a broadcast channel.
    package static func checkChannelType(_ type: PushType) throws(MessageError) {
        guard type == .liveactivity else {
            throw MessageError(field: "audience", text: "a channel takes liveactivity, not \(type.name)")
        }
    }

    private static func parseMembers(
        of payload: [UInt8], limit: Int, subject: String
    ) throws(MessageError) -> [String: JSONValue] {
        guard !payload.isEmpty else { throw MessageError(field: "payload", text: "the payload is empty") }
        guard payload.count <= limit else {
            throw MessageError(
                field: "payload", text: "\(payload.count) bytes; the limit for \(subject) is \(limit)", limit: limit)
        }
        return try parseMembers(of: payload)
    }

    private static func parseMembers(
        of payload: [UInt8], field: String = "payload"
    ) throws(MessageError) -> [String: JSONValue] {
        do {
            return try JSONObjectParser.parse(payload)
        } catch {
            throw MessageError(field: field, text: text(of: error))
        }
    }

    private static func text(of fault: JSONError) -> String {
        switch fault {
        case .syntax(let offset): "not JSON at byte \(offset)"
        case .notAnObject: "must be a JSON object"
        case .duplicateName(let offset): "an object has the same name twice, at byte \(offset)"
        case .tooDeep: "nested deeper than \(JSONValue.maximumDepth)"
        case .loneSurrogate(let offset): "half a surrogate pair at byte \(offset)"
        case .encoding: "not UTF-8"
        }
    }

    private static func checkMembers(_ members: [String: JSONValue], for type: PushType) throws(MessageError) {
        var aps: [String: JSONValue]?
        if let value = members["aps"] {
            guard case .object(let object) = value else {
                throw MessageError(field: "payload.aps", text: "must be an object")
            }
            aps = object
        }
        switch type {
        case .background: try checkBackground(aps)
        case .fileprovider: try checkFileProvider(members)
        case .mdm:
            guard members["mdm"]?.string != nil else {
                throw MessageError(field: "payload.mdm", text: "an mdm push needs the string mdm")
            }
        case .liveactivity: try checkLiveActivity(aps)
        case .widgets, .controls:
            guard aps?["content-changed"] == .bool(true) else {
                throw MessageError(
                    field: "payload.aps.content-changed",
                    text: "a \(type.name) push needs content-changed true"
                )
            }
        case .alert, .location, .voip, .complication, .pushtotalk:
            break
        }
        if let aps { try APSRules.check(aps, for: type) }
    }

    private static func checkBackground(_ aps: [String: JSONValue]?) throws(MessageError) {
        guard aps?["content-available"]?.double == 1 else {
            throw MessageError(
                field: "payload.aps.content-available",
                text: "a background push needs content-available 1"
            )
        }
        for name in ["alert", "badge", "sound"] where aps?[name] != nil {
            throw MessageError(field: "payload.aps.\(name)", text: "a background push must not have \(name)")
        }
    }

    private static func checkFileProvider(_ members: [String: JSONValue]) throws(MessageError) {
        if members["aps"] != nil {
            throw MessageError(field: "payload.aps", text: "a fileprovider push must not have aps")
        }
        for name in ["container-identifier", "domain"] {
            guard members[name]?.string != nil else {
                throw MessageError(field: "payload.\(name)", text: "a fileprovider push needs the string \(name)")
            }
        }
    }

    private static func checkLiveActivity(_ aps: [String: JSONValue]?) throws(MessageError) {
        guard aps?["timestamp"]?.double != nil else {
            throw MessageError(field: "payload.aps.timestamp", text: "a liveactivity push needs the number timestamp")
        }
        guard let event = aps?["event"]?.string, ["start", "update", "end"].contains(event) else {
            throw MessageError(field: "payload.aps.event", text: "event must be start, update or end")
        }
        guard event != "end" else { return }
        guard aps?["content-state"]?.members != nil else {
            throw MessageError(
                field: "payload.aps.content-state",
                text: "a liveactivity \(event) needs the object content-state"
            )
        }
        guard event == "start" else { return }
        for name in ["attributes-type", "attributes", "alert"] where aps?[name] == nil {
            throw MessageError(field: "payload.aps.\(name)", text: "a liveactivity start needs \(name)")
        }
    }
}
