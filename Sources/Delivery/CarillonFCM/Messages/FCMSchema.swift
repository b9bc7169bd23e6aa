import CarillonCore

/// The fields of FCM's messages, their types and ranges (REST reference, `projects.messages`).
///
/// FCM refuses a message with an unknown name or a value of another type (400), so each is refused before anything is
/// stored. Names may be written in snake_case or in lowerCamelCase (protocol buffers, JSON mapping); they are sent in
/// snake_case.
struct FCMSchema {
    /// The required type and range of a value.
    indirect enum Shape {
        case text
        case texts
        case boolean
        /// A whole number of 32 bits, 0 or more.
        case wholeNumber
        /// A number from 0 to 1.
        case fraction
        case oneOf([String])
        /// A time span: seconds with at most nine decimals and an `s`; the longest in seconds.
        case duration(maximumSeconds: UInt64)
        case durations
        /// A color: `#rrggbb`.
        case color
        /// A time of RFC 3339 in UTC.
        case time
        /// An absolute URL.
        case url
        /// The app's own keys and values: strings.
        case data
        case object([String: Shape])
        /// An object that is sent as it is.
        case anyObject
    }

    /// The longest time for which FCM stores a message, in seconds: 28 days.
    static let maximumStoredSeconds: UInt64 = 2_419_200

    /// The fields of `message`, without a target.
    static let message: [String: Shape] = [
        "data": .data, "notification": .object(["title": .text, "body": .text, "image": .url]),
        "android": .object(android), "webpush": .anyObject, "apns": .anyObject, "fcm_options": .object(options),
    ]

    /// The fields of `message.android`.
    static let android: [String: Shape] = [
        "collapse_key": .text, "priority": .oneOf(["NORMAL", "HIGH"]),
        "ttl": .duration(maximumSeconds: maximumStoredSeconds), "restricted_package_name": .text, "data": .data,
        "notification": .object(notification), "fcm_options": .object(options), "direct_boot_ok": .boolean,
        "bandwidth_constrained_ok": .boolean, "restricted_satellite_ok": .boolean,
    ]

    private static let options: [String: Shape] = ["analytics_label": .text]

    private static let notification: [String: Shape] = [
        "title": .text, "body": .text, "icon": .text, "color": .color, "sound": .text, "tag": .text,
        "click_action": .text, "body_loc_key": .text, "body_loc_args": .texts, "title_loc_key": .text,
        "title_loc_args": .texts, "channel_id": .text, "ticker": .text, "sticky": .boolean, "event_time": .time,
        "local_only": .boolean,
        "notification_priority": .oneOf([
            "PRIORITY_MIN", "PRIORITY_LOW", "PRIORITY_DEFAULT", "PRIORITY_HIGH", "PRIORITY_MAX",
        ]),
        "default_sound": .boolean, "default_vibrate_timings": .boolean, "default_light_settings": .boolean,
        "vibrate_timings": .durations,
        "light_settings": .object([
            "color": .object(["red": .fraction, "green": .fraction, "blue": .fraction, "alpha": .fraction]),
            "light_on_duration": .duration(maximumSeconds: maximumStoredSeconds),
            "light_off_duration": .duration(maximumSeconds: maximumStoredSeconds),
        ]),
        "visibility": .oneOf(["PRIVATE", "PUBLIC", "SECRET"]), "notification_count": .wholeNumber, "image": .url,
        "proxy": .oneOf(["ALLOW", "DENY", "IF_PRIORITY_LOWERED"]),
    ]

    /// Returns the members of an object with their names in snake_case and words in capitals.
    ///
    /// - Parameter allowsNull: true if null is allowed for every field: an override that removes it.
    /// - Throws: the first fault: an unknown name, a name in both spellings, or a value of another type.
    static func normalized(
        _ members: [String: JSONValue], by fields: [String: Shape], field: String, allowsNull: Bool = false
    ) throws(MessageError) -> [String: JSONValue] {
        var result: [String: JSONValue] = [:]
        for (writtenName, value) in members.sorted(by: { $0.key < $1.key }) {
            let name = snakeCase(writtenName)
            let path = "\(field).\(writtenName)"
            guard let shape = fields[name] else { throw MessageError(field: path, text: "FCM has no such field") }
            guard result[name] == nil else { throw MessageError(field: path, text: "the field is given twice") }
            result[name] = try normalized(value, by: shape, field: path, allowsNull: allowsNull)
        }
        return result
    }

    private static func normalized(
        _ value: JSONValue, by shape: Shape, field: String, allowsNull: Bool
    ) throws(MessageError) -> JSONValue {
        switch (shape, value) {
        case (_, .null) where allowsNull: return .null
        case (.object(let fields), .object(let members)):
            return .object(try normalized(members, by: fields, field: field, allowsNull: allowsNull))
        case (.data, .object(let members)):
            try FCMData.check(members, field: field)
            return value
        case (.oneOf(let words), .text(let word)) where words.contains(word.uppercased()):
            return .text(word.uppercased())
        default:
            guard fits(value, in: shape) else { throw MessageError(field: field, text: "must be \(wording(shape))") }
            return value
        }
    }

    private static func fits(_ value: JSONValue, in shape: Shape) -> Bool {
        switch (shape, value) {
        case (.text, .text), (.boolean, .bool), (.anyObject, .object): true
        case (.texts, .array(let elements)): elements.allSatisfy { $0.string != nil }
        case (.wholeNumber, .integer(let number)): (0...Int64(Int32.max)).contains(number)
        case (.fraction, _): value.double.map { (0...1).contains($0) } ?? false
        case (.duration(let maximum), .text(let text)): isDuration(text, maximumSeconds: maximum)
        case (.durations, .array(let elements)):
            elements.allSatisfy { $0.string.map { isDuration($0, maximumSeconds: maximumStoredSeconds) } ?? false }
        case (.color, .text(let text)):
            text.utf8.count == 7 && text.utf8.first == UInt8(ascii: "#")
                && text.utf8.dropFirst().allSatisfy { Hex.value(of: $0) != nil }
        case (.time, .text(let text)): isTime(Array(text.utf8))
        case (.url, .text(let text)): isURL(text)
        default: false
        }
    }

    private static func wording(_ shape: Shape) -> String {
        switch shape {
        case .text: "a string"
        case .texts: "an array of strings"
        case .boolean: "true or false"
        case .wholeNumber: "a whole number from 0 to \(Int32.max)"
        case .fraction: "a number from 0 to 1"
        case .oneOf(let words): "one of " + words.joined(separator: ", ")
        case .duration(let maximum): "seconds with an s, such as \"3.5s\", at most \"\(maximum)s\""
        case .durations: "an array of seconds with an s, such as \"0.5s\""
        case .color: "a color in the form #rrggbb"
        case .time: "a time in UTC in the form 2026-11-23T10:00:00Z"
        case .url: "an http or https URL"
        case .data, .object, .anyObject: "an object"
        }
    }

    /// Returns a name of lowerCamelCase in snake_case, and every other name as it is.
    private static func snakeCase(_ name: String) -> String {
        var result = ""
        for character in name.unicodeScalars {
            if ("A"..."Z").contains(character) {
                result += "_" + String(character).lowercased()
            } else {
                result.unicodeScalars.append(character)
            }
        }
        return result
    }

    /// Returns true for whole seconds, at most nine decimals and an `s` (google.protobuf.Duration).
    static func isDuration(_ text: String, maximumSeconds: UInt64) -> Bool {
        guard text.hasSuffix("s") else { return false }
        let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        let isDigits = { (part: Substring) in part.utf8.allSatisfy(\.isASCIIDigit) }
        guard (1...2).contains(parts.count), (1...12).contains(parts[0].count), parts.allSatisfy(isDigits),
            parts.count == 1 || (1...9).contains(parts[1].count), let seconds = UInt64(parts[0])
        else { return false }
        let hasFraction = parts.count == 2 && parts[1].contains { $0 != "0" }
        return seconds < maximumSeconds || seconds == maximumSeconds && !hasFraction
    }

    /// Returns true for a time of RFC 3339 in UTC, section 5.6, with any number of decimals up to nine.
    private static func isTime(_ text: [UInt8]) -> Bool {
        guard (20...30).contains(text.count), text.last == UInt8(ascii: "Z") else { return false }
        for (index, byte) in text.dropLast().enumerated() {
            let isRight =
                switch index {
                case 4, 7: byte == UInt8(ascii: "-")
                case 10: byte == UInt8(ascii: "T")
                case 13, 16: byte == UInt8(ascii: ":")
                case 19: byte == UInt8(ascii: ".") && text.count > 21
                default: byte.isASCIIDigit
                }
            guard isRight else { return false }
        }
        return true
    }

    /// Returns true for a text that FCM's own libraries take as the URL of an image.
    private static func isURL(_ text: String) -> Bool {
        let lower = text.lowercased()
        return (lower.hasPrefix("https://") || lower.hasPrefix("http://")) && (9...2_048).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

/// The app's own keys of a message (REST reference, `message.data`).
enum FCMData {
    /// Checks keys and values; throws the first fault.
    static func check(_ members: [String: JSONValue], field: String) throws(MessageError) {
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            if isReserved(name) {
                throw MessageError(field: "\(field).\(name)", text: "FCM has reserved the name for itself")
            }
            guard value.string != nil else {
                throw MessageError(field: "\(field).\(name)", text: "must be a string: FCM's data has no other values")
            }
        }
    }

    /// Returns true for names that FCM refuses: those that old and new pages of Google reserve, and the empty name.
    ///
    /// Only old pages reserve all names that begin with `google` or `gcm`.
    static func isReserved(_ name: String) -> Bool {
        name == "from" || name == "message_type" || name.hasPrefix("google.") || name.hasPrefix("gcm.notification.")
            || name.isEmpty
    }
}
