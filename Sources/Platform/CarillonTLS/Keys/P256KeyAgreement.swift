import CCarillonOpenSSL

/// Elliptic-curve Diffie-Hellman on P-256 with a fresh key each time (SEC 1, section 3.3.1).
///
/// The agreement works on the curve directly, and keeps its numbers and points between two calls. OpenSSL's interface
/// for keys makes new objects each time, which would cost as much as a third of the arithmetic. Not `Sendable`:
/// one thread uses it at a time.
package struct P256KeyAgreement: ~Copyable {
    private let group: Handle
    private let context: Handle
    private let key: Handle
    private let ownPoint: Handle
    private let peerPoint: Handle
    private let sharedPoint: Handle
    private let coordinate: Handle

    /// The size of the secret, and of a private key, in bytes.
    package static let secretBytes = 32

    package init() throws(TLSError) {
        guard let group = Handle(owning: EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1), free: EC_GROUP_free),
            let context = Handle(owning: BN_CTX_secure_new(), free: BN_CTX_free),
            let key = Handle(owning: BN_secure_new(), free: BN_clear_free),
            let ownPoint = Handle(owning: EC_POINT_new(group.pointer), free: EC_POINT_clear_free),
            let peerPoint = Handle(owning: EC_POINT_new(group.pointer), free: EC_POINT_free),
            let sharedPoint = Handle(owning: EC_POINT_new(group.pointer), free: EC_POINT_clear_free),
            let coordinate = Handle(owning: BN_secure_new(), free: BN_clear_free)
        else { throw .configuration("no memory for a key agreement", OpenSSLError.takeQueue()) }
        // The time of the multiplications must not depend on the key.
        BN_set_flags(key.pointer, BN_FLG_CONSTTIME)
        self.group = group
        self.context = context
        self.key = key
        self.ownPoint = ownPoint
        self.peerPoint = peerPoint
        self.sharedPoint = sharedPoint
        self.coordinate = coordinate
    }

    /// Makes a fresh key pair and agrees with the owner of another one.
    ///
    /// - Parameters:
    ///   - peer: the other public key, an uncompressed point of 65 bytes.
    ///   - point: receives this side's public key, 65 bytes.
    ///   - secret: receives the secret, 32 bytes.
    ///   - privateKey: the private key to use, 32 bytes; nil for a fresh one. A key must not be used twice for sending:
    ///     this is for receivers and for vectors.
    /// - Returns: false if `peer` is not a point of the curve, or `privateKey` is not a key.
    package mutating func agree(
        with peer: UnsafeRawBufferPointer,
        writingPublicKeyTo point: UnsafeMutableRawBufferPointer,
        writingSecretTo secret: UnsafeMutableRawBufferPointer,
        privateKey: [UInt8]? = nil
    ) throws(TLSError) -> Bool {
        precondition(point.count == P256Point.byteCount && secret.count == Self.secretBytes)
        defer { ERR_clear_error() }
        let bytes = peer.bindMemory(to: UInt8.self)
        guard bytes.count == P256Point.byteCount, bytes[0] == 4,
            EC_POINT_oct2point(group.pointer, peerPoint.pointer, bytes.baseAddress, bytes.count, context.pointer) == 1,
            try setPrivateKey(privateKey)
        else { return false }
        let form = POINT_CONVERSION_UNCOMPRESSED
        let own = point.bindMemory(to: UInt8.self).baseAddress
        let shared = secret.bindMemory(to: UInt8.self).baseAddress
        guard EC_POINT_mul(group.pointer, ownPoint.pointer, key.pointer, nil, nil, context.pointer) == 1,
            EC_POINT_point2oct(group.pointer, ownPoint.pointer, form, own, point.count, context.pointer) == point.count,
            EC_POINT_mul(group.pointer, sharedPoint.pointer, nil, peerPoint.pointer, key.pointer, context.pointer) == 1,
            EC_POINT_get_affine_coordinates(
                group.pointer, sharedPoint.pointer, coordinate.pointer, nil, context.pointer) == 1,
            BN_bn2binpad(coordinate.pointer, shared, Int32(secret.count)) == secret.count
        else { throw .configuration("a key agreement failed", OpenSSLError.takeQueue()) }
        BN_clear(key.pointer)
        return true
    }

    /// Sets the private key: from 1 up to, and without, the order of the curve (SEC 1, section 3.2.1); nil for a fresh
    /// one. Returns false if it is not a key.
    private func setPrivateKey(_ privateKey: [UInt8]?) throws(TLSError) -> Bool {
        let order = EC_GROUP_get0_order(group.pointer)
        if let privateKey {
            guard privateKey.count == Self.secretBytes, BN_bin2bn(privateKey, 32, key.pointer) != nil else {
                return false
            }
            return BN_is_zero(key.pointer) == 0 && BN_cmp(key.pointer, order) < 0
        }
        repeat {
            guard BN_priv_rand_range(key.pointer, order) == 1 else {
                throw .configuration("no random key", OpenSSLError.takeQueue())
            }
        } while BN_is_zero(key.pointer) == 1
        return true
    }
}

/// Points of the curve P-256 in their encoded form (SEC 1, section 2.3).
package enum P256Point {
    /// The size of an uncompressed point in bytes: 4 and both coordinates.
    package static let byteCount = 65

    /// Returns true if `bytes` are an uncompressed point of the curve, and not the point at infinity.
    package static func isValid(_ bytes: [UInt8]) -> Bool {
        bytes.count == byteCount && bytes[0] == 4 && uncompressed(bytes) != nil
    }

    /// Returns a point in its uncompressed form; nil if `bytes` are no point of the curve.
    static func uncompressed(_ bytes: [UInt8]) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard let group = Handle(owning: EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1), free: EC_GROUP_free),
            let point = Handle(owning: EC_POINT_new(group.pointer), free: EC_POINT_free),
            EC_POINT_oct2point(group.pointer, point.pointer, bytes, bytes.count, nil) == 1
        else { return nil }
        var whole = [UInt8](repeating: 0, count: byteCount)
        let form = POINT_CONVERSION_UNCOMPRESSED
        let count = EC_POINT_point2oct(group.pointer, point.pointer, form, &whole, whole.count, nil)
        return count == byteCount ? whole : nil
    }
}
