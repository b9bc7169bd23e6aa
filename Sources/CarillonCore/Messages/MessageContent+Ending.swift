extension MessageContent {
    /// The outcome that a recipient has without an attempt; nil if it is to be sent to.
    ///
    /// - Parameters:
    ///   - state: nil if the recipient is not registered.
    ///   - kind: what its token is good for.
    ///   - hasLeft: it was in the audience when its page was fixed, and is no longer.
    ///   - isMuted: itself, or a group that it is in.
    ///   - body: which payload it gets, as `BodyChoice` says.
    package func ending(
        state: DeviceState?, kind: TokenKind, hasLeft: Bool = false, isMuted: Bool = false, body: UInt8?
    ) -> Outcome? {
        guard let state else { return .unregistered }
        if state == .quarantined { return .quarantined }
        if kind != pushType.tokenKind { return .wrongKind }
        if hasLeft { return .left }
        if isMuted { return .muted }
        return body == nil ? .noLanguage : nil
    }
}

/// Which payload of a content suits which locale (RFC 4647 §3.4); looked up once for each locale.
package struct BodyChoice {
    private let languages: [String]
    private let usual: UInt8?
    private var known: [String: UInt8?] = [:]

    /// Makes a choice among the payloads of `content`.
    package init(_ content: MessageContent) {
        languages = content.bodies.prefix(MessageContent.bodyLimit).map(\.language)
        usual = content.payload.isEmpty && !content.bodies.isEmpty ? nil : 0
    }

    /// Whether every locale gets the same.
    package var isTrivial: Bool { languages.isEmpty }

    /// 0 = `payload`, n = `bodies[n − 1]`; nil if none suits and there is no usual one.
    package mutating func body(for locale: String) -> UInt8? {
        if isTrivial { return usual }
        if let known = known[locale] { return known }
        let choice = LanguageTag.lookup(locale, among: languages).map { UInt8($0 + 1) } ?? usual
        known[locale] = .some(choice)
        return choice
    }
}
