import CarillonCore
import CarillonSimulator

/// FCM's messages as protocol buffers in JSON: the names and types of the fields, and Google's words for their faults.
///
/// It was written from Google's reference, and not from CarillonFCM, whose work it judges.
struct FCMFields {
    /// A fault of a message in Google's words, and its place.
    struct MessageError: Error, Equatable {
        var field: String
        var text: String
    }

    indirect enum Kind: Sendable {
        case string, bool, int32, float
        case duration, timestamp
        case words(type: String, Set<String>)
        case list(Kind)
        /// The field maps strings to strings.
        case map
        case message([String: Kind])
        case any
    }

    static let request: [String: Kind] = ["validate_only": .bool, "message": .message(message)]

    private static let message: [String: Kind] = [
        "name": .string, "data": .map, "token": .string, "topic": .string, "condition": .string, "fid": .string,
        "notification": .message(["title": .string, "body": .string, "image": .string]), "android": .message(android),
        "webpush": .message([
            "headers": .map, "data": .map, "notification": .any,
            "fcm_options": .message(["link": .string, "analytics_label": .string]),
        ]),
        "apns": .message([
            "headers": .map, "payload": .any, "live_activity_token": .string,
            "fcm_options": .message(["image": .string, "analytics_label": .string]),
        ]), "fcm_options": .message(["analytics_label": .string]),
    ]

    private static let android: [String: Kind] = [
        "collapse_key": .string, "priority": .words(type: "AndroidMessagePriority", ["NORMAL", "HIGH"]),
        "ttl": .duration, "restricted_package_name": .string, "data": .map, "direct_boot_ok": .bool,
        "bandwidth_constrained_ok": .bool, "restricted_satellite_ok": .bool,
        "fcm_options": .message(["analytics_label": .string]), "notification": .message(notification),
    ]

    private static let notification: [String: Kind] = [
        "title": .string, "body": .string, "icon": .string, "color": .string, "sound": .string, "tag": .string,
        "click_action": .string, "body_loc_key": .string, "body_loc_args": .list(.string), "title_loc_key": .string,
        "title_loc_args": .list(.string), "channel_id": .string, "ticker": .string, "sticky": .bool,
        "event_time": .timestamp, "local_only": .bool,
        "notification_priority": .words(
            type: "AndroidNotification.NotificationPriority",
            [
                "PRIORITY_UNSPECIFIED", "PRIORITY_MIN", "PRIORITY_LOW", "PRIORITY_DEFAULT", "PRIORITY_HIGH",
                "PRIORITY_MAX",
            ]),
        "default_sound": .bool, "default_vibrate_timings": .bool, "default_light_settings": .bool,
        "vibrate_timings": .list(.duration),
        "visibility": .words(
            type: "AndroidNotification.Visibility", ["VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"]),
        "notification_count": .int32, "image": .string,
        "light_settings": .message([
            "color": .message(["red": .float, "green": .float, "blue": .float, "alpha": .float]),
            "light_on_duration": .duration, "light_off_duration": .duration,
        ]),
        "proxy": .words(
            type: "AndroidNotification.Proxy", ["PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED"]),
    ]

    /// Returns the members with their names in snake_case. Throws the first fault.
    static func read(_ members: [String: JSONValue]) throws(MessageError) -> [String: JSONValue] {
        try read(members, as: request, path: "")
    }

    private static func read(
        _ members: [String: JSONValue], as kinds: [String: Kind], path: String
    ) throws(MessageError) -> [String: JSONValue] {
        var result: [String: JSONValue] = [:]
        for (given, value) in members.sorted(by: { $0.key < $1.key }) {
            let name = given.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
            guard let kind = kinds[name] else {
                let place = path.isEmpty ? "" : " at '\(path)'"
                let text = "Invalid JSON payload received. Unknown name \(given.asJSON)\(place): Cannot find field."
                throw MessageError(field: path, text: text)
            }
            // Null is the same as absence in the JSON of protocol buffers.
            if value == .null { continue }
            result[name] = try read(value, as: kind, path: path.isEmpty ? name : "\(path).\(name)")
        }
        return result
    }

    private static func read(
        _ value: JSONValue, as kind: Kind, path: String
    ) throws(MessageError) -> JSONValue {
        switch (kind, value) {
        case (.message(let kinds), .object(let members)): return .object(try read(members, as: kinds, path: path))
        case (.map, .object(let members)):
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated()
            where member.value.string == nil {
                throw invalid(member.value, at: "\(path)[\(index)].value", type: "TYPE_STRING")
            }
        case (.list(let kind), .array(let items)):
            for (index, item) in items.enumerated() { _ = try read(item, as: kind, path: "\(path)[\(index)]") }
        case (.words(let type, let words), _):
            guard let word = value.string?.uppercased(), words.contains(word) else {
                throw invalid(value, at: path, type: "type.googleapis.com/google.firebase.fcm.v1.\(type)")
            }
            return .text(word)
        case (.duration, _):
            guard let text = value.string, isDuration(text) else {
                let field = path.split(separator: ".").last ?? ""
                let type = "type.googleapis.com/google.protobuf.Duration"
                let text =
                    "Invalid value at '\(path)' (\(type)), Field '\(field)', Illegal duration format; duration must "
                    + "end with 's'"
                throw MessageError(field: path, text: text)
            }
        case (.string, .text), (.bool, .bool), (.any, _): break
        case (.timestamp, .text(let text)) where text.hasSuffix("Z") && text.contains("T"): break
        case (.int32, .integer(let number)) where Int32(exactly: number) != nil: break
        case (.float, .integer), (.float, .number): break
        default: throw invalid(value, at: path, type: name(of: kind))
        }
        return value
    }

    private static func invalid(_ value: JSONValue, at path: String, type: String) -> MessageError {
        // Why try?: an object or a list is not shown.
        let shown = value.string.map(\.asJSON) ?? ((try? value.text(field: "")) ?? "")
        return MessageError(field: path, text: "Invalid value at '\(path)' (\(type)), \(shown)")
    }

    private static func name(of kind: Kind) -> String {
        switch kind {
        case .string: "TYPE_STRING"
        case .bool: "TYPE_BOOL"
        case .int32: "TYPE_INT32"
        case .float: "TYPE_FLOAT"
        case .timestamp: "type.googleapis.com/google.protobuf.Timestamp"
        default: "TYPE_MESSAGE"
        }
    }

    private static func isDuration(_ text: String) -> Bool {
        guard text.hasSuffix("s"), let seconds = Double(text.dropLast()) else { return false }
        return seconds.isFinite && text.dropLast().allSatisfy { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "-") }
    }
}
