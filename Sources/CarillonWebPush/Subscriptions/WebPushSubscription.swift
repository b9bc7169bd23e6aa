package import CarillonCore
import CarillonTLS

/// A push subscription of a browser: where its messages go, and for whose eyes (Push API; RFC 8030; RFC 8291, section 3).
package struct WebPushSubscription: Hashable, Sendable {
    /// The push resource, byte for byte as the browser gave it. It is a secret: it must not be logged.
    package let endpoint: String
    /// The parts of `endpoint`.
    package let address: HTTPSAddress
    /// The browser's public key: an uncompressed point of P-256, 65 bytes.
    package let publicKey: [UInt8]
    /// The authentication secret, 16 bytes.
    package let secret: [UInt8]

    /// The size of the secret in bytes (RFC 8291, section 3.2).
    package static let secretBytes = 16
    /// The largest JSON that is read, in bytes.
    package static let maximumJSONBytes = 4_096
    /// The form of `token`; another first byte is another form.
    private static let tokenForm: UInt8 = 1
    /// The longest token, in bytes.
    package static let maximumTokenBytes = 1 + secretBytes + P256Point.byteCount + HTTPSAddress.maximumBytes

    /// Makes a subscription from its parts.
    package init(
        endpoint: String, publicKey: [UInt8], secret: [UInt8]
    ) throws(WebPushSubscriptionFault) {
        guard let address = HTTPSAddress(endpoint) else { throw .badEndpoint }
        guard P256Point.isValid(publicKey) else { throw .badKey }
        guard secret.count == Self.secretBytes else { throw .badSecret }
        self.endpoint = endpoint
        self.address = address
        self.publicKey = publicKey
        self.secret = secret
    }

    /// Reads what `PushSubscription.toJSON()` gives (Push API, section 8): `endpoint`, `keys.p256dh` and `keys.auth`.
    /// Other members are ignored; the keys are base64url without padding.
    package init(json: [UInt8]) throws(WebPushSubscriptionFault) {
        guard json.count <= Self.maximumJSONBytes, let members = try? JSONObjectScanner.scan(json) else {
            throw .notJSON
        }
        guard let endpoint = members["endpoint"]?.string else { throw .badEndpoint }
        let keys = members["keys"]?.members ?? [:]
        guard let publicKey = keys["p256dh"]?.string.flatMap({ Base64URL.decode($0.utf8) }) else { throw .badKey }
        guard let secret = keys["auth"]?.string.flatMap({ Base64URL.decode($0.utf8) }) else { throw .badSecret }
        try self.init(endpoint: endpoint, publicKey: publicKey, secret: secret)
    }

    /// The subscription as the bytes of a device token: 1, the secret, the public key, the endpoint.
    package var token: [UInt8] { [Self.tokenForm] + secret + publicKey + Array(endpoint.utf8) }

    /// Reads the bytes of a device token.
    package init(token: [UInt8]) throws(WebPushSubscriptionFault) {
        let (secretEnd, keyEnd) = (1 + Self.secretBytes, 1 + Self.secretBytes + P256Point.byteCount)
        guard (keyEnd + 1...Self.maximumTokenBytes).contains(token.count), token[0] == Self.tokenForm,
            let endpoint = String(validating: token[keyEnd...], as: UTF8.self)
        else { throw .badToken }
        try self.init(
            endpoint: endpoint, publicKey: Array(token[secretEnd..<keyEnd]), secret: Array(token[1..<secretEnd]))
    }
}

extension WebPushSubscription: CustomStringConvertible, CustomDebugStringConvertible {
    /// The host: nothing of the path, which is a secret, and no key.
    package var description: String { address.host }
    /// The host.
    package var debugDescription: String { address.host }
}

/// Why a subscription cannot be used. No case holds a part of it.
package enum WebPushSubscriptionFault: Error, Hashable, Sendable {
    /// Not a JSON object, or too large.
    case notJSON
    /// `endpoint` is missing, or no `https` URL with a DNS name.
    case badEndpoint
    /// `keys.p256dh` is missing, not base64url, or no point of P-256.
    case badKey
    /// `keys.auth` is missing, not base64url, or not 16 bytes.
    case badSecret
    /// The bytes of a token are not those of a subscription.
    case badToken
}
