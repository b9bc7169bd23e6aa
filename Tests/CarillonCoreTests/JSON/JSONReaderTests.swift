import CarillonCore
import CarillonTestKit
import Testing

/// The reading of tokens, for payloads and for bodies of requests.
struct JSONReaderTests {
    static let faults: [(String, String, Int)] = [
        ("", "the text ends where a value is expected", 0), ("[1 2]", "a comma or ] is expected", 3),
        (#"{"a":1 "b":2}"#, "a comma or } is expected", 7), ("{a:1}", "a name is expected", 1),
        (#"{"a" 1}"#, "a colon is expected", 5), ("tru", "a value is expected", 0), ("[-]", "a digit is expected", 2),
        ("1 1", "something follows the value", 2), (#"["ab"#, "a string does not end", 1),
        ("\"a\n\"", "a control character must be escaped", 2), (#""\x""#, "there is no such escape", 2),
        (#""\u12g4""#, "four hexadecimal digits are expected", 3), (#""\ud83c\n""#, "a surrogate is alone", 8),
        (#"{"a":1,"a":2}"#, "a name occurs twice in an object", 7),
        (String(repeating: "[", count: 41), "values are nested more than 40 deep", 40),
    ]

    @Test(arguments: faults)
    func aFaultHasItsTextAndItsByte(_ json: String, _ text: String, _ offset: Int) throws {
        let error = try #require(throws: JSONSyntaxError.self) { try JSONParser.parse(Array(json.utf8)) }
        #expect(error.text == text)
        #expect(error.offset == offset)
    }

    /// Checks that both parsers read the same texts. The texts have no exponents: a payload refuses a number beyond
    /// Double.
    @Test func payloadsAndBodiesOfRequestsAreReadAlike() {
        var generator = SeededGenerator(seed: TestSeeds.one())
        let pieces = [
            "{", "}", "[", "]", ":", ",", "\"", "\\", "\"a\":", "\"\\u00e9\":", "\"e\\u0301\":", "\"é\":", "1", "-0.5",
            "true", "null", "\"b\"", "\"\\ud83c\\udf89\"", "\\ud83c", " ", "\n", "{}", "[]", "\u{1}",
        ].map { Array($0.utf8) }
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...9, using: &generator)
            let inner = (0..<count).flatMap { _ in pieces.randomElement(using: &generator)! }
            let json = Array("{\"k\":".utf8) + inner + Array("}".utf8)
            let isPayload = (try? JSONObjectScanner.scan(json)) != nil
            #expect(isPayload == ((try? JSONParser.parse(json)) != nil), "\(String(decoding: json, as: UTF8.self))")
        }
    }

    @Test func aStringOfAnOutputIsReadAsItWas() throws {
        let text = String(String.UnicodeScalarView((0..<0x80).map { Unicode.Scalar($0)! })) + "é漢🎉"
        var output = JSONStreamWriter()
        output.string(text)
        #expect(try JSONParser.parse(output.bytes).text == text)
        #expect(JSONValue.quoted("\"\\/\u{8}\t\n\u{C}\r\u{1}\u{1F}") == #""\"\\/\b\t\n\f\r\u0001\u001f""#)
    }
}
