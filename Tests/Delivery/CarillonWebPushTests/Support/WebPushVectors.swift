import CarillonCore
import CarillonTestKit
import Foundation

/// The vectors of RFC 8188, 8291 and 8292, in `Tests/ProviderVectors/web-push.json`.
struct WebPushVectors: Decodable {
    struct Encryption: Decodable {
        var plaintext: Base64URLBytes
        var senderKey: Base64URLBytes
        var senderPoint: Base64URLBytes
        var browserKey: Base64URLBytes
        var browserPoint: Base64URLBytes
        var secret: Base64URLBytes
        var salt: Base64URLBytes
        var shared: Base64URLBytes
        var ikm: Base64URLBytes
        var body: Base64URLBytes

        private enum CodingKeys: String, CodingKey {
            case plaintext, salt, ikm, body
            case senderKey = "as_private"
            case senderPoint = "as_public"
            case browserKey = "ua_private"
            case browserPoint = "ua_public"
            case secret = "auth"
            case shared = "ecdh"
        }
    }

    struct Coding: Decodable {
        var ikm: Base64URLBytes
        var body: Base64URLBytes
        var plaintext: String
    }

    struct Token: Decodable {
        var token: String
        var key: Base64URLBytes
        var audience: String
        var expiresAt: UInt64
        var contact: String

        private enum CodingKeys: String, CodingKey {
            case token, audience, contact
            case key = "k"
            case expiresAt = "expires_at"
        }
    }

    /// Bytes in base64url.
    struct Base64URLBytes: Decodable {
        var bytes: [UInt8]

        init(from decoder: any Decoder) throws {
            let text = try decoder.singleValueContainer().decode(String.self)
            guard let bytes = Base64URL.decode(text.utf8) else {
                throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: text))
            }
            self.bytes = bytes
        }
    }

    var rfc8291: Encryption
    var rfc8188: [Coding]
    var rfc8292: Token

    static func load() throws -> WebPushVectors {
        let file = Repository.file("Tests/ProviderVectors/web-push.json")
        return try JSONDecoder().decode(WebPushVectors.self, from: Data(contentsOf: file))
    }
}
