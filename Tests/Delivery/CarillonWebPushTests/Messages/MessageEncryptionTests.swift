import CarillonCore
import CarillonTLS
import CarillonTestKit
import CarillonWebPush
import Testing

/// Encrypts messages, and checks them with the vectors of the RFCs and with ``BrowserDecryption``.
struct MessageEncryptionTests {
    private let vectors: WebPushVectors

    init() throws { vectors = try WebPushVectors.load() }

    // MARK: Vectors

    @Test func `the message of RFC 8291 is encrypted byte for byte`() throws {
        let vector = vectors.rfc8291
        let subscription = try WebPushSubscription(
            endpoint: "https://push.example.net/push/x", publicKey: vector.browserPoint.bytes,
            secret: vector.secret.bytes)
        var encryption = try MessageEncryption()
        let fixed = MessageEncryption.Vector(privateKey: vector.senderKey.bytes, salt: vector.salt.bytes)
        for _ in 1...2 {
            let body = try encryption.encrypt(vector.plaintext.bytes, for: subscription, vector: fixed)
            #expect(body == vector.body.bytes)
        }
    }

    @Test func `the receiver of the test decrypts the vectors`() throws {
        let vector = vectors.rfc8291
        let read = try BrowserDecryption.decrypt(
            vector.body.bytes, key: vector.browserKey.bytes, point: vector.browserPoint.bytes,
            secret: vector.secret.bytes)
        #expect(read == vector.plaintext.bytes)
        for each in vectors.rfc8188 {
            #expect(try BrowserDecryption.decode(each.body.bytes) { _ in each.ikm.bytes } == Array(each.plaintext.utf8))
        }
    }

    @Test func `the keys of both sides of the vector agree`() throws {
        let vector = vectors.rfc8291
        let sender = try BrowserDecryption.agree(with: vector.browserPoint.bytes, key: vector.senderKey.bytes)
        let browser = try BrowserDecryption.agree(with: vector.senderPoint.bytes, key: vector.browserKey.bytes)
        #expect(sender.point == vector.senderPoint.bytes)
        #expect(browser.point == vector.browserPoint.bytes)
        #expect(sender.secret == vector.shared.bytes)
        #expect(browser.secret == vector.shared.bytes)
    }

    // MARK: Any message

    @Test(arguments: TestSeeds.of(1...4)) func `an encrypted message is decrypted by the browser`(_ seed: UInt64) throws
    {
        var random = SeededGenerator(seed: seed)
        var encryption = try MessageEncryption()
        let generator = vectors.rfc8291.senderPoint.bytes
        for _ in 0..<40 {
            let key = (0..<32).map { $0 == 0 ? 1 : UInt8.random(in: .min ... .max, using: &random) }
            let (point, _) = try BrowserDecryption.agree(with: generator, key: key)
            let secret = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let subscription = try WebPushSubscription(
                endpoint: "https://push.example.net/x", publicKey: point, secret: secret)
            let size = Int.random(in: 0...MessageEncryption.maximumPlaintextBytes, using: &random)
            let padding = Int.random(in: 0...(MessageEncryption.maximumPlaintextBytes - size), using: &random)
            let plaintext = (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let body = try #require(try encryption.encrypt(plaintext, for: subscription, padding: padding))
            #expect(body.count == size + padding + MessageEncryption.overheadBytes)
            #expect(body.count <= 4_096)
            #expect(try BrowserDecryption.decrypt(body, key: key, point: point, secret: secret) == plaintext)
        }
    }

    @Test func `no two messages have the same key or salt`() throws {
        let vector = vectors.rfc8291
        let subscription = try WebPushSubscription(
            endpoint: "https://push.example.net/x", publicKey: vector.browserPoint.bytes, secret: vector.secret.bytes)
        var encryption = try MessageEncryption()
        var salts: Set<[UInt8]> = []
        var points: Set<[UInt8]> = []
        for _ in 0..<50 {
            let body = try #require(try encryption.encrypt([1, 2, 3], for: subscription))
            salts.insert(Array(body[..<16]))
            points.insert(Array(body[21..<86]))
        }
        #expect(salts.count == 50)
        #expect(points.count == 50)
        #expect(points.allSatisfy { P256Point.isValid($0) })
    }

    @Test func `a message that does not fit into one record is refused`() throws {
        let vector = vectors.rfc8291
        let subscription = try WebPushSubscription(
            endpoint: "https://push.example.net/x", publicKey: vector.browserPoint.bytes, secret: vector.secret.bytes)
        var encryption = try MessageEncryption()
        let largest = [UInt8](repeating: 7, count: 3_993)
        #expect(try encryption.encrypt(largest, for: subscription)?.count == 4_096)
        for (plaintext, padding) in [(largest + [7], 0), (largest, 1), ([], 3_994), ([], -1), ([], .max)] {
            #expect(throws: TLSError.misuse("a plaintext of more than 3993 bytes"), "\(plaintext.count) and \(padding)")
            {
                try encryption.encrypt(plaintext, for: subscription, padding: padding)
            }
        }
    }

    @Test func `a key that is no point of the curve gives no message`() throws {
        let vector = vectors.rfc8291
        var encryption = try MessageEncryption()
        var outside = vector.browserPoint.bytes
        outside[64] ^= 1
        let secret = vector.secret.bytes
        for key in [outside, [4], [], [UInt8](repeating: 0, count: 65)] {
            let body = try key.withUnsafeBytes { key in
                try secret.withUnsafeBytes { secret in
                    try encryption.encrypt(
                        UnsafeRawBufferPointer(start: nil, count: 0), publicKey: key, secret: secret)
                }
            }
            #expect(body == nil)
        }
    }
}
