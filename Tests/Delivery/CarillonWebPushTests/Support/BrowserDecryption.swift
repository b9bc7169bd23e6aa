import CarillonTLS
import Testing

/// Decrypts a message as a browser does. It is written from the text of the RFCs, with a key derivation of its own.
enum BrowserDecryption {
    /// The size of the salt, with which the header of the content coding begins.
    private static let saltBytes = 16
    /// The size of the header without the id of the key: the salt, the size of a record, and the length of the id.
    private static let headerBytes = saltBytes + 4 + 1
    /// The size of the tag of AES-GCM, with which each record ends.
    private static let tagBytes = 16

    private static func hmac(_ key: [UInt8], _ message: [UInt8]) throws -> [UInt8] {
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
    static func decode(_ body: [UInt8], ikm: (_ keyID: [UInt8]) throws -> [UInt8]) throws -> [UInt8]? {
        guard body.count >= headerBytes else { return nil }
        let salt = Array(body[..<saltBytes])
        let recordSize = body[saltBytes..<headerBytes - 1].reduce(0) { $0 << 8 | Int($1) }
        let keyID = Array(body[headerBytes..<(headerBytes + Int(body[headerBytes - 1]))])
        let key = try hmac(salt, try ikm(keyID))
        let info = { (name: String) in Array("Content-Encoding: \(name)\0\u{1}".utf8) }
        let cek = Array(try hmac(key, info("aes128gcm")).prefix(16))
        let nonce = Array(try hmac(key, info("nonce")).prefix(12))
        var records = body[(headerBytes + keyID.count)...]
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
            let text = record.dropLast(tagBytes)
            guard let delimiter = text.lastIndex(where: { $0 != 0 }) else { return nil }
            guard text[delimiter] == (records.isEmpty ? 2 : 1) else { return nil }
            plaintext += text[..<delimiter]
            number += 1
        }
        return plaintext
    }

    /// Decrypts a message as the browser does (RFC 8291, section 3).
    static func decrypt(_ body: [UInt8], key: [UInt8], point: [UInt8], secret: [UInt8]) throws -> [UInt8]? {
        try decode(body) { sender in
            let (_, shared) = try agree(with: sender, key: key)
            return try hmac(
                try hmac(secret, shared), Array("WebPush: info\0".utf8) + point + sender + [1])
        }
    }

    /// Agrees on a secret with the public key of the other side. Without a private key, a new one is made.
    static func agree(with peer: [UInt8], key: [UInt8]?) throws -> (point: [UInt8], secret: [UInt8]) {
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
}
