import CCarillonOpenSSL

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
