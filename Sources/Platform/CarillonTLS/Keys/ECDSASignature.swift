import CCarillonOpenSSL

/// One ECDSA P-256 signature in its two forms: OpenSSL's DER and JOSE's r and s side by side.
struct ECDSASignature {
    /// The longest DER form, in bytes: a sequence of two 33-byte integers.
    static let maximumDERBytes = 72

    let raw: [UInt8]
    let der: [UInt8]

    init?(der: [UInt8]) {
        self.der = der
        var cursor: UnsafePointer<UInt8>?
        let raw = der.withUnsafeBufferPointer { bytes -> [UInt8]? in
            cursor = bytes.baseAddress
            guard let signature = Handle(owning: d2i_ECDSA_SIG(nil, &cursor, bytes.count), free: ECDSA_SIG_free) else {
                return nil
            }
            var raw = [UInt8](repeating: 0, count: 64)
            let padded = raw.withUnsafeMutableBufferPointer { raw in
                BN_bn2binpad(ECDSA_SIG_get0_r(signature.pointer), raw.baseAddress, 32) == 32
                    && BN_bn2binpad(ECDSA_SIG_get0_s(signature.pointer), raw.baseAddress.map { $0 + 32 }, 32) == 32
            }
            return padded ? raw : nil
        }
        guard let raw else { return nil }
        self.raw = raw
    }

    init?(raw: [UInt8]) {
        guard raw.count == 64, let signature = Handle(owning: ECDSA_SIG_new(), free: ECDSA_SIG_free) else { return nil }
        let (r, s) = raw.withUnsafeBufferPointer { bytes in
            (BN_bin2bn(bytes.baseAddress, 32, nil), BN_bin2bn(bytes.baseAddress.map { $0 + 32 }, 32, nil))
        }
        guard ECDSA_SIG_set0(signature.pointer, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return nil
        }
        var der = [UInt8](repeating: 0, count: Self.maximumDERBytes)
        let count = der.withUnsafeMutableBufferPointer { bytes -> Int32 in
            // Safety: 72 bytes hold any signature whose halves are 32 bytes.
            var cursor = bytes.baseAddress
            return i2d_ECDSA_SIG(signature.pointer, &cursor)
        }
        guard count > 0 else { return nil }
        self.raw = raw
        self.der = Array(der.prefix(Int(count)))
    }
}
