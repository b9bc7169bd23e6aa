/// Encoded points of the curve P-256, and bytes that are none.
enum SamplePoints {
    /// The generator of the group (SEC 2, section 2.4.2).
    static let generator = bytes(
        ofHex: "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
            + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")

    /// No bytes, infinity, a point beside the curve, one without its last byte, and one with another first byte.
    static let invalid: [[UInt8]] = [
        [], [0], Array(generator.dropLast()) + [0xF4], Array(generator.dropLast()), [5] + Array(generator.dropFirst()),
    ]
}

/// Returns the bytes of a text of hexadecimal digits, two for each byte.
func bytes(ofHex hex: String) -> [UInt8] {
    stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
}
