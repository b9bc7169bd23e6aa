/// Returns the value of a hexadecimal digit in either case; 255 if the byte is not a digit.
///
/// It computes the value without a table, because Swift checks at each use of a lazily made table whether it is made.
@inline(__always)
func hexValue(_ byte: UInt8) -> UInt8 {
    let digit = byte &- UInt8(ascii: "0")
    let letter = (byte | 0x20) &- UInt8(ascii: "a")
    return digit < 10 ? digit : letter < 6 ? letter &+ 10 : 255
}

/// Returns the hexadecimal digit for a value below 16.
func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}
