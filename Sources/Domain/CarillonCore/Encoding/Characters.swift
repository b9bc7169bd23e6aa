/// The classes of ASCII characters in names, numbers and addresses.
extension UInt8 {
    package var isASCIIDigit: Bool { UInt8(ascii: "0") <= self && self <= UInt8(ascii: "9") }

    /// True if the byte is a letter of either case.
    package var isASCIILetter: Bool {
        let lower = self | 0x20
        return UInt8(ascii: "a") <= lower && lower <= UInt8(ascii: "z")
    }

    /// True if the byte is a letter from `a` to `z`.
    package var isLowercaseASCIILetter: Bool { UInt8(ascii: "a") <= self && self <= UInt8(ascii: "z") }

    /// The letter in lower case; another byte is returned as it is.
    var lowercasedASCII: UInt8 { UInt8(ascii: "A") <= self && self <= UInt8(ascii: "Z") ? self | 0x20 : self }
}

extension Unicode.Scalar {
    /// True if the character is a control character: below U+0020, or U+007F to U+009F.
    package var isControlCharacter: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
