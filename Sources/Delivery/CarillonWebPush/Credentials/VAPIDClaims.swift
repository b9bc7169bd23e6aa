import CarillonCore

/// The claims of a VAPID token, which is signed with the key of the application server (RFC 8292, section 2).
package struct VAPIDClaims: Hashable, Sendable {
    /// The origin of the push service: `aud`.
    package var origin: String
    /// The time at which the token ends, in seconds since 1970: at most 24 hours from now.
    package var expiresAtSeconds: UInt64
    /// The contact of the sender: `sub`.
    package var contact: VAPIDContact

    package init(origin: String, expiresAtSeconds: UInt64, contact: VAPIDContact) {
        self.origin = origin
        self.expiresAtSeconds = expiresAtSeconds
        self.contact = contact
    }

    /// The bytes that the key signs: header and claims in base64url (RFC 7515, section 5.1).
    package var signingInput: [UInt8] {
        let header = #"{"typ":"JWT","alg":"ES256"}"#
        let claims =
            #"{"aud":\#(JSONValue.quoted(origin)),"exp":\#(expiresAtSeconds),"sub":\#(JSONValue.quoted(contact.text))}"#
        return Base64URL.encode(Array(header.utf8)) + [UInt8(ascii: ".")] + Base64URL.encode(Array(claims.utf8))
    }

    /// Returns the header `authorization` (RFC 8292, section 3).
    ///
    /// - Parameters:
    ///   - signature: 64 bytes of r and s.
    ///   - publicKey: the key of the application server, 65 bytes.
    package static func authorization(signingInput: [UInt8], signature: [UInt8], publicKey: [UInt8]) -> String {
        let token = signingInput + [UInt8(ascii: ".")] + Base64URL.encode(signature)
        let text = Array("vapid t=".utf8) + token + Array(", k=".utf8) + Base64URL.encode(publicKey)
        return String(decoding: text, as: UTF8.self)
    }
}
