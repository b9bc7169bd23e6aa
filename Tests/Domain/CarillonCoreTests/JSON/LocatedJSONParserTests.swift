import CarillonCore
import CarillonTestKit
import Testing

/// Reading any JSON value into nodes, as the gateway reads the bodies of requests.
struct LocatedJSONParserTests {
    private func parse(_ text: String) throws -> LocatedJSON { try LocatedJSONParser.parse(Array(text.utf8)) }

    @Test func `values are read as they are written`() throws {
        let node = try parse(#" {"a": [1, -2.5e3, true, null, "\u00e9\uD83D\uDE00\n"], "b": {}} "#)
        #expect(
            node["a"]?.items?.map(\.value) == [
                .number("1"), .number("-2.5e3"), .bool(true), .null, .string("é😀\n"),
            ])
        #expect(node["b"]?.members?.isEmpty == true)
    }

    @Test(arguments: [
        "", " ", "{", "[", "[1,", "[1 2]", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}", "[1,]", "01", "1.", "-", "1e",
        "+1",
        "tru", "nul", "\"", "\"\\x\"", "\"\\u12\"", "\"\\u+123\"", "\"\\u-000\"", "\"\\uD800\"", "\"\\uDC00\"",
        "\"\\uD800\\u0041\"",
        "\"\n\"", "1 1", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "NaN", "'a'", "//",
    ])
    func `a text that is not JSON is refused`(_ text: String) {
        #expect(throws: JSONSyntaxError.self) { try parse(text) }
    }

    @Test func `names are compared by their bytes`() throws {
        // One é in two spellings, and a name that Swift compares as equal to K: each is a name of its own in JSON.
        let node = try parse(#"{"\u00e9":1,"e\u0301":2,"\u212a":3,"K":4}"#)
        #expect(node.members?.map(\.value.value) == [.number("1"), .number("2"), .number("3"), .number("4")])
        #expect(node["e\u{301}"]?.value == .number("2"))
        #expect(node["K"]?.value == .number("4"))
        #expect(throws: JSONSyntaxError.self) { try parse(#"{"é":1,"e\u0301":2,"\u00e9":3}"#) }
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0xEF, 0xBB, 0xBF, 0x31],
        ] as [[UInt8]])
    func `bytes that are no UTF-8 are refused`(_ bytes: [UInt8]) {
        #expect(throws: JSONSyntaxError.self) { try LocatedJSONParser.parse(bytes) }
    }

    @Test func `depth and number of values are bounded`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try parse(nested(LocatedJSONParser.maximumDepth))
        #expect(throws: JSONSyntaxError.self) { try parse(nested(LocatedJSONParser.maximumDepth + 1)) }
        #expect(throws: JSONSyntaxError.self) { try parse(String(repeating: "[", count: 1_000_000)) }
        let many = "[" + String(repeating: "0,", count: LocatedJSONParser.maximumValues) + "0]"
        #expect(throws: JSONSyntaxError.self) { try parse(many) }
    }

    /// The test has no expectation: a trap would end its process.
    @Test func `random bytes never trap`() {
        var generator = SeededGenerator(seed: TestSeeds.one())
        let alphabet = Array(#"{}[]":,\u0123456789eE+-.truefalsn "#.utf8) + [0xFF, 0xC3, 0]
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator)!
            }
            _ = try? LocatedJSONParser.parse(bytes)
        }
    }

    @Test func `compacting keeps strings`() {
        let text = Array(#"{ "a \" b" : [ 1 , "\\" , 2 ] }"#.utf8)
        #expect(String(decoding: LocatedJSONParser.compact(text[...]), as: UTF8.self) == #"{"a \" b":[1,"\\",2]}"#)
    }
}
