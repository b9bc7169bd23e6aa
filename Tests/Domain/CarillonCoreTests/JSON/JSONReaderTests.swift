import CarillonCore
import CarillonTestKit
import Testing

/// Reading the tokens of payloads and of bodies of requests.
struct JSONReaderTests {
    /// A text that is not JSON, the text of its fault, and the byte at fault.
    struct Fault: CustomTestStringConvertible {
        let json: String
        let text: String
        let byte: Int

        var testDescription: String { text }
    }

    static let faults = [
        Fault(json: "", text: "the text ends where a value is expected", byte: 0),
        Fault(json: "[1 2]", text: "a comma or ] is expected", byte: 3),
        Fault(json: #"{"a":1 "b":2}"#, text: "a comma or } is expected", byte: 7),
        Fault(json: "{a:1}", text: "a name is expected", byte: 1),
        Fault(json: #"{"a" 1}"#, text: "a colon is expected", byte: 5),
        Fault(json: "tru", text: "a value is expected", byte: 0),
        Fault(json: "[-]", text: "a digit is expected", byte: 2),
        Fault(json: "1 1", text: "something follows the value", byte: 2),
        Fault(json: #"["ab"#, text: "a string does not end", byte: 1),
        Fault(json: "\"a\n\"", text: "a control character must be escaped", byte: 2),
        Fault(json: #""\x""#, text: "there is no such escape", byte: 2),
        Fault(json: #""\u12g4""#, text: "four hexadecimal digits are expected", byte: 3),
        Fault(json: #""\ud83c\n""#, text: "a surrogate is alone", byte: 8),
        Fault(json: #"{"a":1,"a":2}"#, text: "a name occurs twice in an object", byte: 7),
        Fault(json: String(repeating: "[", count: 41), text: "values are nested more than 40 deep", byte: 40),
    ]

    @Test(arguments: faults)
    func `a fault names its reason and its byte`(_ fault: Fault) throws {
        let error = try #require(throws: JSONSyntaxError.self) { try LocatedJSONParser.parse(Array(fault.json.utf8)) }
        #expect(error.text == fault.text)
        #expect(error.offset == fault.byte)
    }

    /// The texts have no exponents, because a payload refuses a number beyond Double.
    @Test func `payloads and bodies of requests are read alike`() {
        var generator = SeededGenerator(seed: TestSeeds.one())
        let pieces = [
            "{", "}", "[", "]", ":", ",", "\"", "\\", "\"a\":", "\"\\u00e9\":", "\"e\\u0301\":", "\"é\":", "1", "-0.5",
            "true", "null", "\"b\"", "\"\\ud83c\\udf89\"", "\\ud83c", " ", "\n", "{}", "[]", "\u{1}",
        ].map { Array($0.utf8) }
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...9, using: &generator)
            let inner = (0..<count).flatMap { _ in pieces.randomElement(using: &generator)! }
            let json = Array("{\"k\":".utf8) + inner + Array("}".utf8)
            let isPayload = (try? JSONObjectParser.parse(json)) != nil
            let isJSON = (try? LocatedJSONParser.parse(json)) != nil
            #expect(isPayload == isJSON, "\(String(decoding: json, as: UTF8.self))")
        }
    }
}
