/// The access tokens that were issued.
struct AccessTokens {
    struct Token {
        var project: String
        /// The end of the token, in milliseconds since 1970.
        var endsAt: Int64
    }

    private var tokens: [String: Token] = [:]
    private(set) var issuedCount = 0

    private static let maximumTokens = 10_000

    subscript(token: String) -> Token? { tokens[token] }

    mutating func issue(project: String, endsAt: Int64) -> String {
        issuedCount += 1
        if tokens.count >= Self.maximumTokens { tokens.removeAll() }
        let text = "ya29.c.simulated-\(issuedCount)-\(project)"
        tokens[text] = Token(project: project, endsAt: endsAt)
        return text
    }

    /// Makes all tokens invalid, as Google does with the tokens of a deleted key.
    mutating func revoke() { tokens = [:] }
}
