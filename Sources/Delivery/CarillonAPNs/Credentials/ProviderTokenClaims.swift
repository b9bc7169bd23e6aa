import CarillonCore

/// The claims of a provider token, which is signed with the key of a team (RFC 7515, RFC 7518 section 3.4).
package struct ProviderTokenClaims: Hashable, Sendable {
    package var keyID: String
    package var teamID: String
    /// The time at which the token was made, in seconds since 1970.
    package var issuedAtSeconds: UInt64

    package init(keyID: String, teamID: String, issuedAtSeconds: UInt64) {
        self.keyID = keyID
        self.teamID = teamID
        self.issuedAtSeconds = issuedAtSeconds
    }

    /// The bytes that the key signs: header and claims in base64url.
    package var signingInput: [UInt8] {
        let header = "{\"alg\":\"ES256\",\"kid\":\"\(keyID)\"}"
        let claims = "{\"iss\":\"\(teamID)\",\"iat\":\(issuedAtSeconds)}"
        return Base64URL.encode(Array(header.utf8)) + [UInt8(ascii: ".")] + Base64URL.encode(Array(claims.utf8))
    }

    /// Returns the whole token: the signed bytes, and the 64 bytes of r and s.
    package static func token(signingInput: [UInt8], signature: [UInt8]) -> String {
        String(decoding: signingInput + [UInt8(ascii: ".")] + Base64URL.encode(signature), as: UTF8.self)
    }

    /// Returns true if `id` has the form of a key or team id, so that nothing needs escaping in JSON: ten letters or
    /// digits.
    package static func isIdentifier(_ id: String) -> Bool {
        id.utf8.count == 10
            && id.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
            }
    }
}
