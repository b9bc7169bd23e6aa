/// Matches language tags (RFC 4647). The case of letters is ignored.
package enum LanguageTag {
    /// Returns the ranges that match `tag` in basic filtering (RFC 4647 §3.3.1), in lower case, the longest first:
    /// `zh-Hant-TW` gives `zh-hant-tw`, `zh-hant` and `zh`.
    package static func ranges(of tag: String) -> [String] {
        let bytes = tag.utf8.map(\.lowercasedASCII)
        let ends = [bytes.count] + bytes.indices.reversed().filter { bytes[$0] == hyphen }
        return ends.filter { $0 > 0 }.map { String(decoding: bytes[..<$0], as: UTF8.self) }
    }

    /// Finds the best match for `tag` among `candidates` by lookup (RFC 4647 §3.4): the tag itself, else the tag
    /// without its last subtag, and so on. A subtag of one letter or digit is removed together with the subtag after
    /// it.
    ///
    /// - Returns: an index into `candidates`, the lowest of equal ones; nil if none matches or `tag` is nil.
    package static func lookup(_ tag: String?, among candidates: [String]) -> Int? {
        guard let tag else { return nil }
        var wanted = Array(tag.utf8)[...]
        while !wanted.isEmpty {
            if let match = candidates.firstIndex(where: { isEqual($0, to: wanted) }) { return match }
            repeat {
                wanted = wanted[..<(wanted.lastIndex(of: hyphen) ?? wanted.startIndex)]
            } while endsInSingle(wanted)
        }
        return nil
    }

    private static let hyphen = UInt8(ascii: "-")

    private static func isEqual(_ candidate: String, to bytes: ArraySlice<UInt8>) -> Bool {
        candidate.utf8.elementsEqual(bytes) { $0.lowercasedASCII == $1.lowercasedASCII }
    }

    private static func endsInSingle(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard !bytes.isEmpty else { return false }
        let before = bytes.dropLast()
        return before.isEmpty || before.last == hyphen
    }
}

/// Chooses the payload for a locale (RFC 4647 §3.4); each locale is looked up once and then cached.
package struct PayloadChoice {
    private let languages: [String]
    /// The index of the payload for a locale that no body fits: 0 for `payload`, nil if the content has bodies only.
    private let fallback: UInt8?
    private var known: [String: UInt8?] = [:]

    /// Prepares the choice among the payloads of `content`: bodies beyond `MessageContent.maximumBodies` are left out.
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
