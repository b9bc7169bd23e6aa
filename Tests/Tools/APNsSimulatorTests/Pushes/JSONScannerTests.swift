import Testing

@testable import apns_simulator

/// The scanner of JSON, which reads several bytes at a time: the byte that matters is at each position of a word.
struct JSONScannerTests {
    private static func isObject(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { JSONScanner.isObject($0) } }

    private static func object(with inside: [UInt8]) -> [UInt8] { Array(#"{"a":""#.utf8) + inside + Array(#""}"#.utf8) }

    /// Only control characters, a quotation mark and a backslash end plain text, at any position.
    @Test(arguments: 0..<20)
    func `only three kinds of bytes end plain text`(place: Int) {
        for byte in UInt8.min...UInt8.max {
            var text = Array(repeating: UInt8(ascii: "x"), count: 20)
            text[place] = byte
            let isPlain = byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            #expect(Self.isObject(Self.object(with: text)) == isPlain, "byte \(byte) at \(place)")
        }
    }

    @Test(arguments: 0..<20)
    func `escapes are read at each place of a string`(place: Int) {
        let text = Array(String(repeating: "é", count: place).utf8) + Array(#"\n\u00e9\""#.utf8)
        #expect(Self.isObject(Self.object(with: text)))
        #expect(!Self.isObject(Self.object(with: text + Array(#"\x"#.utf8))))
    }

    @Test func `a string without an end is refused`() {
        for count in 0..<20 {
            #expect(!Self.isObject(Array(#"{"a":""#.utf8) + Array(repeating: UInt8(ascii: "x"), count: count)))
        }
    }
}
