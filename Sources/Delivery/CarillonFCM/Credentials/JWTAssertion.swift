import CarillonCore

/// An assertion: a JWT that a service account signs with RS256 and exchanges for an access token (RFC 7523, sections
/// 2.1 and 3; RFC 7518, section 3.3).
package struct JWTAssertion: Hashable, Sendable {
    package var account: ServiceAccount
    /// The time at which the assertion is made, in seconds since 1970.
    package var issuedAtSeconds: UInt64

    /// The scope of the access token: sending messages, and nothing else.
    package static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    /// The time for which an assertion is valid, in seconds: Google takes no longer one.
    package static let lifetimeSeconds: UInt64 = 3_600
    package static let contentType = "application/x-www-form-urlencoded"

    package init(account: ServiceAccount, issuedAtSeconds: UInt64) {
        self.account = account
        self.issuedAtSeconds = issuedAtSeconds
    }

    /// The bytes that the key signs: header and claims in base64url (RFC 7515, section 5.1).
    package var signingInput: [UInt8] {
        let header = #"{"alg":"RS256","typ":"JWT","kid":\#(JSONValue.quoted(account.privateKeyID))}"#
        let (end, overflow) = issuedAtSeconds.addingReportingOverflow(Self.lifetimeSeconds)
        let claims =
            #"{"iss":\#(JSONValue.quoted(account.clientEmail)),"scope":"\#(Self.scope)","#
            + #""aud":\#(JSONValue.quoted(account.tokenURI)),"iat":\#(issuedAtSeconds),"#
            + #""exp":\#(overflow ? .max : end)}"#
        return Base64URL.encode(Array(header.utf8)) + [UInt8(ascii: ".")] + Base64URL.encode(Array(claims.utf8))
    }

    /// Returns the body of the request to `ServiceAccount.tokenAddress` (RFC 7523, section 2.1).
    package static func requestBody(signingInput: [UInt8], signature: [UInt8]) -> [UInt8] {
        // A JWT has no character that a form would have to escape.
        Array("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=".utf8)
            + signingInput + [UInt8(ascii: ".")] + Base64URL.encode(signature)
    }
}
