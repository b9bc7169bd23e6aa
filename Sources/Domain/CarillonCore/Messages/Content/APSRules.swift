/// The types and ranges of the keys of `aps` that Apple documents (Protocol 16.4). Other keys pass: iOS may add some.
package enum APSRules {
    /// A key that Apple does not document at its place.
    package struct UndocumentedKey: Hashable, Sendable {
        /// The object that has the key: `aps` or `aps.alert`.
        package var parent: String
        package var name: String
        /// The documented keys of that object.
        package var documented: [String]
    }

    /// Returns the keys of `aps` and of its alert that Apple does not document for the push type, in the order of their
    /// names.
    package static func undocumentedKeys(in aps: [String: JSONValue], for type: PushType) -> [UndocumentedKey] {
        let keys = type == .liveactivity ? liveActivity : general
        var found = undocumented(in: aps, keys: keys, parent: "aps")
        if let alert = aps["alert"]?.members,
            case .stringOrObject(let keys) = keys.first(where: { $0.name == "alert" })?.shape
        {
            found += undocumented(in: alert, keys: keys, parent: "aps.alert")
        }
        return found
    }

    private static func undocumented(
        in object: [String: JSONValue], keys: [Key], parent: String
    ) -> [UndocumentedKey] {
        let documented = keys.map(\.name)
        return object.keys.filter { !documented.contains($0) }.sorted().map {
            UndocumentedKey(parent: parent, name: $0, documented: documented)
        }
    }

    /// Checks every known key; throws the first violation.
    static func check(_ aps: [String: JSONValue], for type: PushType) throws(MessageError) {
        try check(aps, by: type == .liveactivity ? liveActivity : general, field: "payload.aps")
    }

    private static func check(_ object: [String: JSONValue], by keys: [Key], field: String) throws(MessageError) {
        for key in keys {
            guard let value = object[key.name] else { continue }
            try check(value, by: key.shape, field: "\(field).\(key.name)")
        }
    }

    /// Checks a value by its required form. The recursion is as deep as the tables below, whatever the payload.
    private static func check(_ value: JSONValue, by shape: Shape, field: String) throws(MessageError) {
        switch (shape, value) {
        case (.object(let keys), .object(let members)), (.stringOrObject(let keys), .object(let members)):
            try check(members, by: keys, field: field)
        default:
            guard shape.fits(value) else { throw MessageError(field: field, text: "must be \(shape.wording)") }
        }
    }

    private struct Key {
        let name: String
        let shape: Shape

        init(_ name: String, _ shape: Shape) {
            self.name = name
            self.shape = shape
        }
    }

    /// The required form of a value.
    private enum Shape {
        case string
        case strings
        /// A string or null, used for alerts: Apple's documentation has long called these "string or null" and "array
        /// or null".
        case stringOrNull
        case stringsOrNull
        case oneOf([String])
        case wholeNumber
        case number(ClosedRange<Double>)
        /// The number 1 or 0; 0 means the same as absence.
        case flag
        case onlyTrue
        case channel
        case object([Key])
        case stringOrObject([Key])

        func fits(_ value: JSONValue) -> Bool {
            switch (self, value) {
            case (.string, .text), (.stringOrNull, .text), (.stringOrNull, .null), (.stringsOrNull, .null),
                (.onlyTrue, .bool(true)), (.object, .object), (.stringOrObject, .text), (.stringOrObject, .object):
                true
            case (.strings, .array(let items)), (.stringsOrNull, .array(let items)):
                items.allSatisfy { $0.string != nil }
            case (.oneOf(let words), .text(let text)): words.contains(text)
            case (.channel, .text(let text)): ChannelID(text) != nil
            case (.wholeNumber, _): value.double.map { $0 >= 0 && $0.rounded() == $0 } ?? false
            case (.number(let range), _): value.double.map(range.contains) ?? false
            case (.flag, _): value.double == 0 || value.double == 1
            default: false
            }
        }

        var wording: String {
            switch self {
            case .string: "a string"
            case .strings: "an array of strings"
            case .stringOrNull: "a string or null"
            case .stringsOrNull: "an array of strings or null"
            case .oneOf(let words): "one of " + words.joined(separator: ", ")
            case .wholeNumber: "a whole number, 0 or more"
            case .number(anyNumber): "a number"
            case .number(time): "a number, 0 or more"
            case .number(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
            case .flag: "the number 1 or 0"
            case .onlyTrue: "true"
            case .channel: "the id of a broadcast channel"
            case .object: "an object"
            case .stringOrObject: "a string or an object"
            }
        }
    }

    private static let anyNumber = -Double.infinity...Double.infinity
    /// The range of times in seconds since 1970.
    private static let time = 0...Double.infinity

    private static let sound = Shape.stringOrObject([
        Key("critical", .flag), Key("name", .string), Key("volume", .number(0...1)),
    ])

    private static let general =
        [
            Key(
                "alert",
                .stringOrObject([
                    Key("title", .string), Key("title-loc-key", .stringOrNull), Key("title-loc-args", .stringsOrNull),
                    Key("subtitle", .string), Key("subtitle-loc-key", .stringOrNull),
                    Key("subtitle-loc-args", .stringsOrNull), Key("body", .string), Key("loc-key", .stringOrNull),
                    Key("loc-args", .stringsOrNull), Key("launch-image", .string),
                ])
            ),
            Key("relevance-score", .number(0...1)),
        ] + common

    private static let liveActivity =
        [
            Key(
                "alert",
                .stringOrObject([
                    Key("title", localizable), Key("subtitle", localizable), Key("body", localizable),
                    Key("sound", sound),
                ])
            ),
            Key("relevance-score", .number(anyNumber)), Key("timestamp", .number(time)),
            Key("event", .oneOf(["start", "update", "end"])), Key("content-state", .object([])),
            Key("stale-date", .number(time)), Key("dismissal-date", .number(time)), Key("attributes-type", .string),
            Key("attributes", .object([])), Key("input-push-channel", .channel), Key("input-push-token", .flag),
        ] + common

    private static let localizable = Shape.stringOrObject([Key("loc-key", .string), Key("loc-args", .strings)])

    private static let common = [
        Key("badge", .wholeNumber), Key("sound", sound), Key("thread-id", .string), Key("category", .string),
        Key("content-available", .flag), Key("mutable-content", .flag),
        Key("interruption-level", .oneOf(["passive", "active", "time-sensitive", "critical"])),
        Key("target-content-id", .string), Key("filter-criteria", .string), Key("content-changed", .onlyTrue),
        Key("url-args", .strings),
    ]
}
