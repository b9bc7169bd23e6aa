/// Returns the bytes of a text of hexadecimal digits, two for each byte.
func bytes(ofHex hex: String) -> [UInt8] {
    stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
}
