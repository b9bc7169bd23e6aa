/// The reason why a message is refused before anything is stored or sent.
public struct MessageError: Error, Hashable, Sendable {
    /// The field at fault, with the name of the specification; a path with dots inside a payload:
    /// `payload.aps.timestamp`.
    public var field: String
    /// The fault in words, for human readers.
    public var text: String
    /// The limit in bytes; nil unless the payload, or the content for Android or browsers, is too large.
    public var limit: Int?

    /// Makes the fault of one field; it has a limit only if the field is too large.
    public init(field: String, text: String, limit: Int? = nil) {
        self.field = field
        self.text = text
        self.limit = limit
    }
}

extension MessageError: CustomStringConvertible {
    /// The field and the text.
    public var description: String { "\(field): \(text)" }
}
