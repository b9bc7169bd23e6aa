import CarillonCore
import Testing

/// The hexadecimal digits of tokens, which are sent as Apple writes them: in lower case.
struct HexTests {
    private func text(_ bytes: [UInt8]) -> String {
        let digits = [UInt8](unsafeUninitializedCapacity: 2 * bytes.count) { room, count in
            bytes.withUnsafeBufferPointer { bytes in
                if let start = room.baseAddress { Hex.write(bytes, into: start) }
            }
            count = 2 * bytes.count
        }
        return String(decoding: digits, as: UTF8.self)
    }

    @Test func `every byte has its two digits`() {
        for byte in 0...255 as ClosedRange<UInt8> {
            let digits = String(byte, radix: 16)
            let expected = digits.count == 1 ? "0" + digits : digits
            #expect(text([byte]) == expected)
            #expect(text([byte, 0xFF, 0, byte]) == expected + "ff00" + expected)
        }
    }

    @Test(arguments: 0...17) func `bytes of any number are written whole`(_ count: Int) {
        let bytes = (0..<count).map { UInt8($0 * 15 + 1) }
        #expect(text(bytes) == String("01101f2e3d4c5b6a798897a6b5c4d3e2f1".prefix(2 * count)))
    }

    @Test func `bytes are read back from digits of either case`() {
        let all = Array(UInt8.min ... .max)
        #expect(Hex.bytes(Hex.string(all)) == all)
        #expect(Hex.bytes(Hex.string(all).uppercased()) == all)
        #expect(Hex.bytes("") == [])
    }

    @Test(arguments: ["0", "0x", "zz", "00 ", "é"])
    func `a text that is no pairs of digits is refused`(_ text: String) {
        #expect(Hex.bytes(text) == nil)
    }

    @Test func `only twenty-two characters are digits`() {
        let digits = (UInt8.min ... .max).filter { Hex.value(of: $0) != nil }
        #expect(String(decoding: digits, as: UTF8.self) == "0123456789ABCDEFabcdef")
    }
}
