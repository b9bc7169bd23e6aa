/// Small parsers for the bytes of a request.
extension UnsafeRawBufferPointer {
    /// The decimal number that the bytes are; nil if they are not a number of at most 18 digits.
    var decimal: Int64? {
        guard (1...18).contains(count) else { return nil }
        var number: Int64 = 0
        for byte in self {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return number
    }

    /// True if the bytes are a UUID in lower case and in its canonical form 8-4-4-4-12.
    var isCanonicalUUID: Bool {
        guard count == 36, let bytes = baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
        let dash = UInt8(ascii: "-")
        guard bytes[8] == dash, bytes[13] == dash, bytes[18] == dash, bytes[23] == dash else { return false }
        // Without branches and checks, so that the compiler can vectorise it; the sum is at most 36.
        var digits: UInt8 = 0
        for index in 0..<36 {
            let isDigit: UInt8 = bytes[index] &- UInt8(ascii: "0") < 10 ? 1 : 0
            let isLetter: UInt8 = bytes[index] &- UInt8(ascii: "a") < 6 ? 1 : 0
            digits &+= isDigit | isLetter
        }
        return digits == 32
    }

    var text: String { String(decoding: self, as: UTF8.self) }
}
