/// The choice of the payload for a locale (RFC 4647 §3.4); each locale is looked up once and then cached.
package struct PayloadChoice {
    private let languages: [String]
    /// The index of the payload for a locale that no body fits: 0 for `payload`, nil if the content has bodies only.
    private let fallback: UInt8?
    private var known: [String: UInt8?] = [:]

    /// Makes the choice among the payloads of `content`: bodies beyond `MessageContent.maximumBodies` are left out.
    package init(_ content: MessageContent) {
        languages = content.bodies.prefix(MessageContent.maximumBodies).map(\.language)
        fallback = content.payload.isEmpty && !content.bodies.isEmpty ? nil : 0
    }

    /// True if every locale gets the same payload.
    package var isTrivial: Bool { languages.isEmpty }

    /// Returns the index of the payload for `locale`: 0 = `payload`, n = `bodies[n − 1]`; nil if none fits and there is
    /// no default.
    package mutating func payloadIndex(for locale: String) -> UInt8? {
        if isTrivial { return fallback }
        if let known = known[locale] { return known }
        let choice = LanguageTag.lookup(locale, among: languages).map { UInt8($0 + 1) } ?? fallback
        known[locale] = .some(choice)
        return choice
    }
}
