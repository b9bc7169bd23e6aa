package import CarillonCore

/// The VAPID tokens of one key: one for each origin, used again until it is renewed.
///
/// A signature for each message would cost as much as its encryption. Apple also asks senders not to make a new token
/// more often than once an hour.
package struct VAPIDTokens: Sendable {
    /// The life of a token, in milliseconds: half of the 24 hours that RFC 8292, section 2, allows, because clocks
    /// differ.
    package static let lifetimeMilliseconds: UInt64 = 12 * Milliseconds.perHour
    /// The age at which a token is replaced, in milliseconds.
    package static let rotationAgeMilliseconds: UInt64 = 6 * Milliseconds.perHour
    /// The most tokens that are kept.
    package static let maximumOrigins = 256

    private struct Entry {
        var authorization: String
        var issuedAt: Moment
    }

    private let contact: VAPIDContact
    private let publicKey: [UInt8]
    private var entries: [String: Entry] = [:]

    /// Makes the tokens of a key.
    ///
    /// - Parameter publicKey: the public key that the tokens name: 65 bytes, as `SigningKey.publicPoint` gives them.
    package init(contact: VAPIDContact, publicKey: [UInt8]) {
        self.contact = contact
        self.publicKey = publicKey
    }

    package var count: Int { entries.count }

    /// Returns the header `authorization` for requests to an origin. A secret: never logged.
    ///
    /// - Parameter sign: signs bytes with ES256; called only if there is no token that may be used.
    package mutating func authorization<Failure: Error>(
        for origin: String, at now: Moment, sign: (_ input: [UInt8]) throws(Failure) -> [UInt8]
    ) throws(Failure) -> String {
        if let entry = entries[origin], !Self.mustRenew(entry.issuedAt, at: now) { return entry.authorization }
        let end = now.wall.later(byMilliseconds: Self.lifetimeMilliseconds).milliseconds / 1_000
        let input = VAPIDClaims(origin: origin, expiresAtSeconds: end, contact: contact).signingInput
        let signature = try sign(input)
        let text = VAPIDClaims.authorization(signingInput: input, signature: signature, publicKey: publicKey)
        if entries[origin] == nil, entries.count >= Self.maximumOrigins { forgetOldest() }
        entries[origin] = Entry(authorization: text, issuedAt: now)
        return text
    }

    /// Returns true if a token must be renewed: it is old, or the wall clock was set, so that its end is wrong although
    /// it is young.
    private static func mustRenew(_ issued: Moment, at now: Moment) -> Bool {
        now.uptime.milliseconds(since: issued.uptime) >= rotationAgeMilliseconds || now.wasWallClockSet(since: issued)
    }

    private mutating func forgetOldest() {
        guard let oldest = entries.min(by: { $0.value.issuedAt.uptime < $1.value.issuedAt.uptime })?.key else { return }
        entries[oldest] = nil
    }
}

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
