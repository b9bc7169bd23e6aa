import CarillonCore
import CarillonSimulator
import CarillonTLS

/// A browser with a push subscription. It has the private key, and reads the messages that it gets.
///
/// It was written from RFC 8188 and RFC 8291, and not from CarillonWebPush, whose work it judges.
struct Browser {
    /// The id of the browser, which is the last part of its endpoint.
    let id: String
    private let privateKey: [UInt8]
    private let publicKey: [UInt8]
    private let secret: [UInt8]

    /// The generator of P-256 (SEC 2, section 2.4.2).
    private static let generator =
        Hex.bytes(
            "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162b"
                + "ce33576b315ececbb6406837bf51f5") ?? []

    /// The keys follow from the seed and the number. They are for tests only.
    init(seed: UInt64, number: Int) throws {
        // A hash, and not a generator: the streams of two seeds can meet, and then two browsers have one endpoint.
        let key = withUnsafeBytes(of: seed.bigEndian) { Array($0) }
        func bytes(_ name: String, count: Int) -> [UInt8] {
            Array(Self.hmac(key, Array("\(name) of browser \(number)".utf8)).prefix(count))
        }
        id = String(decoding: Base64URL.encode(bytes("endpoint", count: 24)), as: UTF8.self)
        // A first byte of 1 keeps the key below the order of the curve.
        privateKey = [1] + bytes("private key", count: 31)
        secret = bytes("secret", count: 16)
        publicKey = try Self.agree(with: Self.generator, privateKey: privateKey).point
    }

    /// Returns the subscription as `PushSubscription.toJSON()` gives it.
    func subscription(origin: String) -> String {
        let text = { (bytes: [UInt8]) in String(decoding: Base64URL.encode(bytes), as: UTF8.self) }
        let endpoint = origin + Service.pathOfBrowsers + "\(id)"
        return "{\"endpoint\":\(endpoint.asJSON),\"expirationTime\":null,"
            + "\"keys\":{\"p256dh\":\"\(text(publicKey))\",\"auth\":\"\(text(secret))\"}}"
    }

    /// Returns the plaintext of a message; nil if it cannot be read.
    func decrypt(_ body: [UInt8]) -> [UInt8]? {
        // Salt, record size, key id, and at least a delimiter and a tag.
        guard body.count >= 16 + 4 + 1 + 65 + 17, body[20] == 65 else { return nil }
        let recordSize = body[16..<20].reduce(0) { $0 << 8 | Int($1) }
        let sender = Array(body[21..<86])
        var record = Array(body[86...])
        // A message is one record (RFC 8291, section 4).
        // Why try?: nil says that the browser cannot decrypt it.
        guard recordSize > record.count || recordSize == record.count, recordSize >= 18,
            let shared = try? Self.agree(with: sender, privateKey: privateKey).secret
        else { return nil }
        let info = Array("WebPush: info".utf8) + [0] + publicKey + sender + [1]
        let keyMaterial = Self.hmac(Self.hmac(secret, shared), info)
        let pseudorandom = Self.hmac(Array(body[..<16]), keyMaterial)
        let key = Self.hmac(pseudorandom, Array("Content-Encoding: aes128gcm".utf8) + [0, 1]).prefix(16)
        let nonce = Self.hmac(pseudorandom, Array("Content-Encoding: nonce".utf8) + [0, 1]).prefix(12)
        // Why try?: nil says that the browser cannot decrypt it.
        guard var cipher = try? AES128GCM() else { return nil }
        let isGood = Array(key).withUnsafeBytes { key in
            Array(nonce).withUnsafeBytes { nonce in
                record.withUnsafeMutableBytes { cipher.open(key: key, nonce: nonce, text: $0) }
            }
        }
        let text = record.dropLast(16)
        guard isGood, let end = text.lastIndex(where: { $0 != 0 }), text[end] == 2 else { return nil }
        return Array(text[..<end])
    }

    private static func hmac(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: 32)
        // Why try?: a wrong key makes the decryption fail.
        guard var mac = try? HMACSHA256() else { return result }
        key.withUnsafeBytes { key in
            message.withUnsafeBytes { message in
                // Why try?: without a result the decryption fails.
                result.withUnsafeMutableBytes { try? mac.authenticate(key: key, message: message, into: $0) }
            }
        }
        return result
    }

    private static func agree(
        with peer: [UInt8], privateKey: [UInt8]
    ) throws -> (point: [UInt8], secret: [UInt8]) {
        var agreement = try P256KeyAgreement()
        var point = [UInt8](repeating: 0, count: 65)
        var secret = [UInt8](repeating: 0, count: 32)
        let isGood = try peer.withUnsafeBytes { peer in
            try point.withUnsafeMutableBytes { point in
                try secret.withUnsafeMutableBytes { secret in
                    try agreement.agree(
                        with: peer, writingPublicKeyTo: point, writingSecretTo: secret, privateKey: privateKey)
                }
            }
        }
        guard isGood else { throw SimulatorError(text: "no point of P-256") }
        return (point, secret)
    }
}
