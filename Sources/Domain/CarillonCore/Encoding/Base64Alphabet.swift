/// The 64 digits of a form of base64: letters, decimal digits, and two more.
struct Base64Alphabet: Sendable {
    private let digits: [UInt8]

    init(lastDigits: String) {
        digits = Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + lastDigits).utf8)
    }

    /// Appends the digits of `bytes`, without padding.
    func append(_ bytes: some Collection<UInt8>, to text: inout [UInt8]) {
        text.reserveCapacity(text.count + (bytes.count + 2) / 3 * 4)
        var rest = bytes[...]
        while !rest.isEmpty {
            let group = rest.prefix(3)
            rest = rest.dropFirst(3)
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for digit in 0...group.count { text.append(digits[Int(bits >> UInt32(18 - 6 * digit)) & 0x3F]) }
        }
    }
}
