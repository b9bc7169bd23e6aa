/// A push subscription of a browser: the address of its messages, and the keys that encrypt them (Push API; RFC 8030;
/// RFC 8291, section 3).
///
/// Whether the public key is a point of the curve, and whether messages may be sent to the endpoint, is checked by the
/// server.
public struct WebPushSubscription: Hashable, Sendable {
    /// The push resource, byte for byte as the browser gave it. It is a secret: it must not be logged.
    public let endpoint: String
    /// The browser's public key: an uncompressed point of P-256, 65 bytes.
    public let publicKey: [UInt8]
    /// The authentication secret, 16 bytes.
    public let secret: [UInt8]

    /// The size of the secret in bytes (RFC 8291, section 3.2).
    public static let secretBytes = 16
    /// The size of the public key in bytes.
    public static let publicKeyBytes = 65
    /// The longest endpoint, in bytes. The endpoints of the browsers have 150 to 600.
    public static let maximumEndpointBytes = 1_024
    /// The largest JSON that is read, in bytes.
    public static let maximumJSONBytes = 4_096
    /// The first byte of an uncompressed point (SEC 1, section 2.3.3).
    private static let uncompressed: UInt8 = 4

    /// Makes a subscription; throws the first fault of its parts.
    public init(
        endpoint: String, publicKey: [UInt8], secret: [UInt8]
    ) throws(WebPushSubscriptionError) {
        guard endpoint.utf8.count <= Self.maximumEndpointBytes, HTTPSAddress(endpoint) != nil else {
            throw .badEndpoint
        }
        guard publicKey.count == Self.publicKeyBytes, publicKey[0] == Self.uncompressed else { throw .badKey }
        guard secret.count == Self.secretBytes else { throw .badSecret }
        self.endpoint = endpoint
        self.publicKey = publicKey
        self.secret = secret
    }

    /// Reads the JSON of `PushSubscription.toJSON()` (Push API, section 8): `endpoint`, `keys.p256dh` and `keys.auth`.
    /// Other members are ignored; the keys are base64url without padding.
    public init(json: [UInt8]) throws(WebPushSubscriptionError) {
        // Why try?: the error that is thrown says as much.
        guard json.count <= Self.maximumJSONBytes, let members = try? JSONObjectParser.parse(json) else {
            throw .notJSON
        }
        try self.init(members: members)
    }

    /// Reads the members of that JSON.
    package init(members: [String: JSONValue]) throws(WebPushSubscriptionError) {
        guard let endpoint = members["endpoint"]?.string else { throw .badEndpoint }
        let keys = members["keys"]?.members ?? [:]
        guard let publicKey = keys["p256dh"]?.string.flatMap({ Base64URL.decode($0.utf8) }) else { throw .badKey }
        guard let secret = keys["auth"]?.string.flatMap({ Base64URL.decode($0.utf8) }) else { throw .badSecret }
        try self.init(endpoint: endpoint, publicKey: publicKey, secret: secret)
    }

    /// The subscription as JSON, in one form that `init(json:)` reads.
    public var json: [UInt8] {
        // An endpoint has no byte that JSON escapes.
        let key = Self.text(publicKey)
        let secret = Self.text(secret)
        return Array(#"{"endpoint":"\#(endpoint)","keys":{"auth":"\#(secret)","p256dh":"\#(key)"}}"#.utf8)
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: Base64URL.encode(bytes), as: UTF8.self) }

    /// The parts of `endpoint`; never nil.
    package var address: HTTPSAddress? { HTTPSAddress(endpoint) }
}

extension WebPushSubscription {
    /// The form of `bytes`, which is their first byte; another first byte is another form.
    private static let form: UInt8 = 1
    /// The greatest number of `bytes`.
    package static let maximumBytes = 1 + secretBytes + publicKeyBytes + maximumEndpointBytes

    /// The subscription as it is stored: the form, the secret, the public key, the endpoint.
    package var bytes: [UInt8] { [Self.form] + secret + publicKey + Array(endpoint.utf8) }

    package init(bytes: some Collection<UInt8>) throws(WebPushSubscriptionError) {
        let head = 1 + Self.secretBytes + Self.publicKeyBytes
        guard (head + 1...Self.maximumBytes).contains(bytes.count), bytes.first == Self.form,
            let endpoint = String(validating: bytes.dropFirst(head), as: UTF8.self)
        else { throw .badBytes }
        try self.init(
            endpoint: endpoint, publicKey: Array(bytes.dropFirst(1 + Self.secretBytes).prefix(Self.publicKeyBytes)),
            secret: Array(bytes.dropFirst().prefix(Self.secretBytes)))
    }
}

extension WebPushSubscription: CustomStringConvertible, CustomDebugStringConvertible {
    /// The host of the endpoint: no part of the path, which is a secret, and no key.
    public var description: String { address?.host ?? "" }
    /// The host of the endpoint.
    public var debugDescription: String { description }
}
