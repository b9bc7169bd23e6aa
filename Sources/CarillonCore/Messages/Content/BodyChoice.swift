/// The choice of the payload for a locale (RFC 4647 §3.4); each locale is looked up once and then cached.
package struct BodyChoice {
    private let languages: [String]
    private let usual: UInt8?
    private var known: [String: UInt8?] = [:]

    /// Makes the choice among the payloads of `content`: bodies beyond `MessageContent.maximumBodies` are left out.
    package init(_ content: MessageContent) {
        languages = content.bodies.prefix(MessageContent.maximumBodies).map(\.language)
        usual = content.payload.isEmpty && !content.bodies.isEmpty ? nil : 0
    }

    /// True if every locale gets the same payload.
    package var isTrivial: Bool { languages.isEmpty }

    /// Returns the payload for `locale`: 0 = `payload`, n = `bodies[n − 1]`; nil if none fits and there is no default.
    package mutating func body(for locale: String) -> UInt8? {
        if isTrivial { return usual }
        if let known = known[locale] { return known }
        let choice = LanguageTag.lookup(locale, among: languages).map { UInt8($0 + 1) } ?? usual
        known[locale] = .some(choice)
        return choice
    }
}
