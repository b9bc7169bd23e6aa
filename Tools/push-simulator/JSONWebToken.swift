import CarillonCore

/// A JSON Web Token that was not verified yet (RFC 7515, section 3.1).
struct JSONWebToken {
    var header: [String: JSONValue]
    var claims: [String: JSONValue]
    var signature: [UInt8]
    var signed: [UInt8]

    private static let maximumBytes = 4_096

    /// Reads a token; nil if the text does not have the form of a token.
    init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // Why try?: nil says that it is no token.
        guard text.utf8.count <= Self.maximumBytes, parts.count == 3,
            let header = Base64URL.decode(parts[0]).flatMap({ try? JSONObjectParser.parse($0) }),
            let claims = Base64URL.decode(parts[1]).flatMap({ try? JSONObjectParser.parse($0) }),
            let signature = Base64URL.decode(parts[2])
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signed = Array(text.utf8[..<parts[1].endIndex])
    }
}
