import CarillonCore
import CarillonTLS
import CarillonTestKit
import CarillonWebPush
import Testing

/// The encryption of messages, against the vectors of the RFCs and against a decryption that is written here from their
/// text, with its own key derivation.
struct MessageEncryptionTests {
    private let vectors: WebPushVectors

    init() throws { vectors = try WebPushVectors.load() }

    // MARK: A receiver

    private func hmac(_ key: [UInt8], _ message: [UInt8]) throws -> [UInt8] {
        var mac = try HMACSHA256()
        var result = [UInt8](repeating: 0, count: 32)
        try key.withUnsafeBytes { key in
            try message.withUnsafeBytes { message in
                try result.withUnsafeMutableBytes { try mac.authenticate(key: key, message: message, into: $0) }
            }
        }
        return result
    }

    /// Decrypts the content coding aes128gcm (RFC 8188, section 2); nil if it is not valid.
    private func decode(_ body: [UInt8], ikm: (_ keyID: [UInt8]) throws -> [UInt8]) throws -> [UInt8]? {
        guard body.count >= 21 else { return nil }
        let salt = Array(body[..<16])
        let recordSize = body[16..<20].reduce(0) { $0 << 8 | Int($1) }
        let keyID = Array(body[21..<(21 + Int(body[20]))])
        let key = try hmac(salt, try ikm(keyID))
        let info = { (name: String) in Array("Content-Encoding: \(name)\0\u{1}".utf8) }
        let cek = Array(try hmac(key, info("aes128gcm")).prefix(16))
        let nonce = Array(try hmac(key, info("nonce")).prefix(12))
        var records = body[(21 + keyID.count)...]
        var plaintext: [UInt8] = []
        var cipher = try AES128GCM()
        var number: UInt64 = 0
        while !records.isEmpty {
            var record = Array(records.prefix(recordSize))
            records = records.dropFirst(recordSize)
            var own = nonce
            for (offset, byte) in withUnsafeBytes(of: number.bigEndian, Array.init).enumerated() {
                own[4 + offset] ^= byte
            }
            let isGood = cek.withUnsafeBytes { key in
                own.withUnsafeBytes { nonce in
                    record.withUnsafeMutableBytes { cipher.open(key: key, nonce: nonce, text: $0) }
                }
            }
            guard isGood else { return nil }
            let text = record.dropLast(16)
            guard let delimiter = text.lastIndex(where: { $0 != 0 }) else { return nil }
            guard text[delimiter] == (records.isEmpty ? 2 : 1) else { return nil }
            plaintext += text[..<delimiter]
            number += 1
        }
        return plaintext
    }

    /// Decrypts a message as the browser does (RFC 8291, section 3).
    private func decrypt(_ body: [UInt8], key: [UInt8], point: [UInt8], secret: [UInt8]) throws -> [UInt8]? {
        try decode(body) { sender in
            let (_, shared) = try agree(with: sender, key: key)
            return try hmac(
                try hmac(secret, shared), Array("WebPush: info\0".utf8) + point + sender + [1])
        }
    }

    private func agree(with peer: [UInt8], key: [UInt8]?) throws -> (point: [UInt8], secret: [UInt8]) {
        var agreement = try P256KeyAgreement()
        var point = [UInt8](repeating: 0, count: 65)
        var secret = [UInt8](repeating: 0, count: 32)
        let isGood = try peer.withUnsafeBytes { peer in
            try point.withUnsafeMutableBytes { point in
                try secret.withUnsafeMutableBytes { secret in
                    try agreement.agree(
                        with: peer, writingPublicKeyTo: point, writingSecretTo: secret, privateKey: key)
                }
            }
        }
        #expect(isGood)
        return (point, secret)
    }

    // MARK: Vectors

    @Test func theMessageOfRFC8291IsEncryptedByteForByte() throws {
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

    @Test func theReceiverOfTheTestDecryptsTheVectors() throws {
        let vector = vectors.rfc8291
        let read = try decrypt(
            vector.body.bytes, key: vector.browserKey.bytes, point: vector.browserPoint.bytes,
            secret: vector.secret.bytes)
        #expect(read == vector.plaintext.bytes)
        for each in vectors.rfc8188 {
            #expect(try decode(each.body.bytes) { _ in each.ikm.bytes } == Array(each.plaintext.utf8))
        }
    }

    @Test func theKeysOfBothSidesOfTheVectorAgree() throws {
        let vector = vectors.rfc8291
        let sender = try agree(with: vector.browserPoint.bytes, key: vector.senderKey.bytes)
        let browser = try agree(with: vector.senderPoint.bytes, key: vector.browserKey.bytes)
        #expect(sender.point == vector.senderPoint.bytes)
        #expect(browser.point == vector.browserPoint.bytes)
        #expect(sender.secret == vector.shared.bytes)
        #expect(browser.secret == vector.shared.bytes)
    }

    // MARK: Any message

    @Test(arguments: TestSeeds.of(1...4)) func anEncryptedMessageIsDecryptedByTheBrowser(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var encryption = try MessageEncryption()
        let generator = vectors.rfc8291.senderPoint.bytes
        for _ in 0..<40 {
            let key = (0..<32).map { $0 == 0 ? 1 : UInt8.random(in: .min ... .max, using: &random) }
            let (point, _) = try agree(with: generator, key: key)
            let secret = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let subscription = try WebPushSubscription(
                endpoint: "https://push.example.net/x", publicKey: point, secret: secret)
            let size = Int.random(in: 0...MessageEncryption.maximumPlaintextBytes, using: &random)
            let padding = Int.random(in: 0...(MessageEncryption.maximumPlaintextBytes - size), using: &random)
            let plaintext = (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let body = try #require(try encryption.encrypt(plaintext, for: subscription, padding: padding))
            #expect(body.count == size + padding + MessageEncryption.overheadBytes)
            #expect(body.count <= 4_096)
            #expect(try decrypt(body, key: key, point: point, secret: secret) == plaintext)
        }
    }

    @Test func noTwoMessagesHaveTheSameKeyOrSalt() throws {
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

    @Test func aMessageThatDoesNotFitIntoOneRecordIsRefused() throws {
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

    @Test func aKeyThatIsNoPointOfTheCurveGivesNoMessage() throws {
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
