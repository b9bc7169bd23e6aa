import CarillonCore

/// The checked fields that a sender gives for browsers beside the payload (`WebContent.overrides`): members of the
/// notification, and the other parts of a message to a browser.
struct WebOverrides: Hashable, Sendable {
    /// The members of the notification; null removes one. They are checked with the whole notification.
    private(set) var notification: [String: JSONValue] = [:]
    /// True if a service worker may change what is shown; nil if the payload decides.
    private(set) var isMutable: Bool?
    /// The time to live in seconds; nil for the content's own.
    private(set) var ttlSeconds: UInt64?
    /// The urgency; nil for the content's own.
    private(set) var urgency: WebPushRequest.Urgency?
    /// The topic; nil for the content's own.
    private(set) var topic: String?

    /// Reads the overrides of a content; a content without overrides has none.
    ///
    /// - Throws: the first fault, by the names of the members.
    init(of content: MessageContent) throws(MessageError) {
        guard case .overrides(let bytes) = content.web else { return }
        for (name, value) in try JSONObjectParser.members(of: bytes, field: "web").sorted(by: { $0.key < $1.key }) {
            try read(value, of: name)
        }
    }

    private mutating func read(_ value: JSONValue, of name: String) throws(MessageError) {
        switch (name, value) {
        case ("notification", .object(let members)): notification = members
        case ("mutable", .bool(let isTrue)): isMutable = isTrue
        case ("ttl", .integer(let seconds)) where (0...Int64(WebPushRequest.maximumTTLSeconds)).contains(seconds):
            ttlSeconds = UInt64(seconds)
        case ("urgency", .text(let word)) where WebPushRequest.Urgency(rawValue: word) != nil:
            urgency = WebPushRequest.Urgency(rawValue: word)
        case ("topic", .text(let text)) where Self.isTopic(text): topic = text
        case (_, .null) where Self.wordings[name] != nil: break
        default:
            throw MessageError(
                field: "web.\(name)", text: Self.wordings[name].map { "must be \($0)" } ?? "there is no such field")
        }
    }

    private static let wordings = [
        "notification": "an object", "mutable": "true or false",
        "ttl": "a whole number of seconds from 0 to \(WebPushRequest.maximumTTLSeconds)",
        "urgency": "one of " + WebPushRequest.Urgency.allCases.map(\.rawValue).joined(separator: ", "),
        "topic": "1 to 32 letters of base64url, in a number that base64url has",
    ]

    /// Returns true for a topic that every push service takes: RFC 8030 (section 5.4) has the letters and the length,
    /// and Apple decodes it.
    private static func isTopic(_ text: String) -> Bool {
        (1...WebPushRequest.topicBytes).contains(text.utf8.count) && text.utf8.count % 4 != 1
            && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_".utf8.contains($0) }
    }
}

extension JSONObjectParser {
    /// Returns the members of an object; a fault bears the name of the field.
    static func members(of bytes: [UInt8], field: String) throws(MessageError) -> [String: JSONValue] {
        do throws(JSONError) {
            return try parse(bytes)
        } catch {
            throw MessageError(field: field, text: error.sentence(in: bytes))
        }
    }
}
