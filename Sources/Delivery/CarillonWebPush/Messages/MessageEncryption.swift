package import CarillonCore
package import CarillonTLS

/// Encrypts messages to browsers (RFC 8291) in the coding `aes128gcm` (RFC 8188), with one record a message.
///
/// The contexts are kept between two messages. Not `Sendable`: one thread uses it at a time (`WebPushAdapter`).
package struct MessageEncryption: ~Copyable {
    /// A key and a salt that are given instead of fresh ones: for vectors only.
    package struct Vector: Sendable {
        /// The private key, 32 bytes.
        package var privateKey: [UInt8]
        /// The salt, 16 bytes.
        package var salt: [UInt8]

        package init(privateKey: [UInt8], salt: [UInt8]) {
            self.privateKey = privateKey
            self.salt = salt
        }
    }

    /// The size of the salt in bytes (RFC 8188, section 2.1).
    package static let saltBytes = 16
    /// The size of the header in bytes: salt, record size, length of the key id, and the key.
    package static let headerBytes = saltBytes + 4 + 1 + P256Point.byteCount
    /// The bytes of a body beyond its plaintext and padding: header, delimiter and tag.
    package static let overheadBytes = headerBytes + 1 + AES128GCM.tagBytes
    /// The largest body that every push service takes, in bytes (RFC 8030, section 7.2).
    package static let maximumBodyBytes = 4_096
    /// The largest plaintext with its padding, in bytes (RFC 8291, section 4).
    package static let maximumPlaintextBytes = maximumBodyBytes - overheadBytes
    /// The record size. One record must hold it all (RFC 8291, section 4).
    private static let recordBytes: UInt32 = 4_096

    private var agreement: P256KeyAgreement
    private var hmac: HMACSHA256
    private var cipher: AES128GCM
    /// The secrets of the current message: they are overwritten by the next, and at the end.
    private let room: UnsafeMutableRawBufferPointer

    /// The places of a message's secrets in `room`.
    private enum Layout {
        /// The secret that both keys share, then the PRK of the key and the nonce.
        static let secret = 0..<32
        /// The PRK of the input keying material, then the key.
        static let key = 32..<64
        /// The input keying material (IKM), then the nonce.
        static let nonce = 64..<96
        /// `infoPrefix`, both public keys, and the number of the only block of HKDF.
        static let info = 96..<(96 + MessageEncryption.infoPrefix.count + 2 * P256Point.byteCount + 1)
    }

    private static let infoPrefix = Array("WebPush: info\0".utf8)
    private static let keyInfo = Array("Content-Encoding: aes128gcm\0\u{1}".utf8)
    private static let nonceInfo = Array("Content-Encoding: nonce\0\u{1}".utf8)

    package init() throws(TLSError) {
        let agreement = try P256KeyAgreement()
        let hmac = try HMACSHA256()
        let cipher = try AES128GCM()
        self.agreement = agreement
        self.hmac = hmac
        self.cipher = cipher
        room = .allocate(byteCount: Layout.info.upperBound, alignment: 16)
        room.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
        erase(room)
        room.deallocate()
    }

    /// Encrypts a message, and returns its body; nil if the browser's key is not a point of the curve.
    ///
    /// - Parameters:
    ///   - plaintext: at most `maximumPlaintextBytes` with its padding.
    ///   - publicKey: the browser's key, 65 bytes.
    ///   - secret: the browser's authentication secret, 16 bytes.
    ///   - padding: zeros after the plaintext: they hide its length from the push service.
    package mutating func encrypt(
        _ plaintext: UnsafeRawBufferPointer, publicKey: UnsafeRawBufferPointer, secret: UnsafeRawBufferPointer,
        padding: Int = 0, vector: Vector? = nil
    ) throws(TLSError) -> [UInt8]? {
        guard padding >= 0, plaintext.count <= Self.maximumPlaintextBytes - padding else {
            throw .misuse("a plaintext of more than \(Self.maximumPlaintextBytes) bytes")
        }
        guard publicKey.count == P256Point.byteCount, secret.count == WebPushSubscription.secretBytes else {
            return nil
        }
        var failure: TLSError?
        var isValid = false
        let size = Self.overheadBytes + plaintext.count + padding
        let body = [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
            let body = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(bytes)[..<size])
            do throws(TLSError) {
                isValid = try write(into: body, plaintext, publicKey: publicKey, secret: secret, vector: vector)
            } catch {
                failure = error
            }
            count = isValid ? size : 0
        }
        if let failure { throw failure }
        return isValid ? body : nil
    }

    private mutating func write(
        into body: UnsafeMutableRawBufferPointer, _ plaintext: UnsafeRawBufferPointer,
        publicKey: UnsafeRawBufferPointer, secret: UnsafeRawBufferPointer, vector: Vector?
    ) throws(TLSError) -> Bool {
        let salt = UnsafeMutableRawBufferPointer(rebasing: body[..<Self.saltBytes])
        if let vector { salt.copyBytes(from: vector.salt.prefix(Self.saltBytes)) } else { try fillRandomly(salt) }
        body.storeBytes(of: Self.recordBytes.bigEndian, toByteOffset: Self.saltBytes, as: UInt32.self)
        body[Self.saltBytes + 4] = UInt8(P256Point.byteCount)
        let point = UnsafeMutableRawBufferPointer(rebasing: body[(Self.saltBytes + 5)..<Self.headerBytes])
        guard
            try agreement.agree(
                with: publicKey, writingPublicKeyTo: point, writingSecretTo: part(Layout.secret),
                privateKey: vector?.privateKey)
        else { return false }
        try derive(salt: UnsafeRawBufferPointer(salt), own: point, publicKey: publicKey, secret: secret)
        let text = UnsafeMutableRawBufferPointer(rebasing: body[Self.headerBytes...])
        text.copyMemory(from: plaintext)
        // The delimiter of the last record, padding, and room for the tag.
        text[plaintext.count] = 2
        for index in (plaintext.count + 1)..<text.count { text[index] = 0 }
        try cipher.seal(
            key: UnsafeRawBufferPointer(rebasing: part(Layout.key)[..<AES128GCM.keyBytes]),
            nonce: UnsafeRawBufferPointer(rebasing: part(Layout.nonce)[..<AES128GCM.nonceBytes]), text: text)
        return true
    }

    /// Derives the key and the nonce (RFC 8291, sections 3.3 and 3.4; RFC 8188, sections 2.2 and 2.3), each with one
    /// block of HKDF (RFC 5869).
    private mutating func derive(
        salt: UnsafeRawBufferPointer, own: UnsafeMutableRawBufferPointer, publicKey: UnsafeRawBufferPointer,
        secret: UnsafeRawBufferPointer
    ) throws(TLSError) {
        let shared = part(Layout.secret)
        let key = part(Layout.key)
        let nonce = part(Layout.nonce)
        let info = part(Layout.info)
        info.copyBytes(from: Self.infoPrefix)
        let publicKeyStart = Self.infoPrefix.count
        let ownStart = publicKeyStart + P256Point.byteCount
        UnsafeMutableRawBufferPointer(rebasing: info[publicKeyStart..<ownStart]).copyMemory(from: publicKey)
        UnsafeMutableRawBufferPointer(rebasing: info[ownStart...]).copyMemory(from: UnsafeRawBufferPointer(own))
        info[info.count - 1] = 1
        // PRK_key, IKM, PRK, then the key and the nonce.
        try hmac.authenticate(key: secret, message: UnsafeRawBufferPointer(shared), into: key)
        try hmac.authenticate(key: UnsafeRawBufferPointer(key), message: UnsafeRawBufferPointer(info), into: nonce)
        try hmac.authenticate(key: salt, message: UnsafeRawBufferPointer(nonce), into: shared)
        try expand(Self.keyInfo, with: shared, into: key)
        try expand(Self.nonceInfo, with: shared, into: nonce)
    }

    private mutating func expand(
        _ info: [UInt8], with key: UnsafeMutableRawBufferPointer, into result: UnsafeMutableRawBufferPointer
    ) throws(TLSError) {
        var failure: TLSError?
        info.withUnsafeBytes { info in
            do throws(TLSError) {
                try hmac.authenticate(key: UnsafeRawBufferPointer(key), message: info, into: result)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    private func part(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: room[range])
    }
}

extension MessageEncryption {
    /// Encrypts a message to a subscription, and returns its body; nil if the browser's key is not a point of the
    /// curve.
    package mutating func encrypt(
        _ plaintext: [UInt8], for subscription: WebPushSubscription, padding: Int = 0, vector: Vector? = nil
    ) throws(TLSError) -> [UInt8]? {
        let key = subscription.publicKey
        let secret = subscription.secret
        var result: Result<[UInt8]?, TLSError> = .success(nil)
        plaintext.withUnsafeBytes { plaintext in
            key.withUnsafeBytes { key in
                secret.withUnsafeBytes { secret in
                    do throws(TLSError) {
                        result = .success(
                            try encrypt(plaintext, publicKey: key, secret: secret, padding: padding, vector: vector))
                    } catch {
                        result = .failure(error)
                    }
                }
            }
        }
        return try result.get()
    }
}
