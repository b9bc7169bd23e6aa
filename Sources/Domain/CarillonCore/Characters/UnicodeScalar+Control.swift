/// The definition of control characters.
extension Unicode.Scalar {
    /// True if the character is a control character: below U+0020, or U+007F to U+009F.
    package var isControlCharacter: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
