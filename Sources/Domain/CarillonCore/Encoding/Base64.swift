/// Base64 with the standard alphabet and padding (RFC 4648, section 4).
package enum Base64 {
    private static let alphabet = Base64Alphabet(lastDigits: "+/")

    /// Appends the digits of `bytes`, with padding.
    package static func append(_ bytes: some Collection<UInt8>, to text: inout [UInt8]) {
        alphabet.append(bytes, to: &text)
        text += repeatElement(UInt8(ascii: "="), count: (3 - bytes.count % 3) % 3)
    }
}
