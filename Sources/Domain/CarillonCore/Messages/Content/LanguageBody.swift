/// A payload in one language.
public struct LanguageBody: Hashable, Sendable {
    /// The language tag (RFC 5646), 2 to 35 bytes.
    public var language: String
    /// The JSON object of the payload in this language.
    public var payload: [UInt8]

    /// Makes a body. Its tag and its JSON are checked only when the message is sent.
    public init(language: String, payload: [UInt8]) {
        self.language = language
        self.payload = payload
    }
}
