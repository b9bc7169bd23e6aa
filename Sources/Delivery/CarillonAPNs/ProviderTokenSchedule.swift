package import CarillonCore

/// Says when a provider token is renewed: not more often than every 20 minutes, not later than after an hour, as Apple
/// asks (https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns).
///
/// One schedule, and so one token, serves all connections of a (team, key). APNs counts renewals for each connection,
/// and ends the connection of a refused token. So a token that was made with a wrong clock, and refused, is replaced
/// soon after the clock is set. An example is a start before the time came from the network.
package struct ProviderTokenSchedule: Hashable, Sendable {
    /// The age at which a token is replaced, in milliseconds: 50 minutes.
    package static let rotationAgeMilliseconds: UInt64 = 50 * 60_000
    /// The lowest age at which a token may be replaced, in milliseconds: 20 minutes and a little.
    package static let minimumAgeMilliseconds: UInt64 = 20 * 60_000 + 10_000

    /// The lowest age, in milliseconds, at which a token that APNs has refused is replaced, if the clock was set since.
    package static let minimumAgeAfterRefusalMilliseconds: UInt64 = 10_000

    private var issuedAt: Moment?
    private var wasRefused = false

    package init() {}

    /// Returns the milliseconds since the token was made; nil if no token was made yet.
    package func ageMilliseconds(at now: Moment) -> UInt64? {
        issuedAt.map { now.uptime.milliseconds(since: $0.uptime) }
    }

    /// Counts a token as made if one must be made now.
    ///
    /// - Parameter isRefused: true if APNs has answered that the current token has expired.
    /// - Returns: true if the caller must make a token.
    package mutating func issueIfDue(at now: Moment, isRefused: Bool = false) -> Bool {
        if isRefused { wasRefused = true }
        guard isDue(at: now) else { return false }
        issuedAt = now
        wasRefused = false
        return true
    }

    private func isDue(at now: Moment) -> Bool {
        guard let issuedAt else { return true }
        let age = now.uptime.milliseconds(since: issuedAt.uptime)
        // After the wall clock was set, the claim is wrong although the token is young.
        let wasSet = now.wasWallClockSet(since: issuedAt)
        if wasRefused && wasSet { return age >= Self.minimumAgeAfterRefusalMilliseconds }
        return age >= Self.rotationAgeMilliseconds || (wasRefused || wasSet) && age >= Self.minimumAgeMilliseconds
    }
}

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
        id.utf8.count == 10 && id.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
    }
}
