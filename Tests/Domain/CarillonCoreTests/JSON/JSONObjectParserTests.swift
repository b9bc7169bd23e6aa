import CarillonCore
import Testing

struct JSONObjectParserTests {
    private func parse(_ text: String) throws(JSONError) -> [String: JSONValue] {
        try JSONObjectParser.parse(Array(text.utf8))
    }

    static let valid: [(String, [String: JSONValue])] = [
        ("{}", [:]), (" \t\r\n{ } \n", [:]), (#"{"a":1}"#, ["a": 1]),
        (#"{ "a" : 1 , "b" : 2 }"#, ["a": 1, "b": 2]), (#"{"":null}"#, ["": .null]),
        (#"{"a":true,"b":false,"c":null}"#, ["a": true, "b": false, "c": .null]),
        (#"{"a":[]}"#, ["a": []]), (#"{"a":[1,[2,{"b":[ ]}],"x"]}"#, ["a": [1, [2, ["b": []]], "x"]]),
        (#"{"a":{"b":{}}}"#, ["a": ["b": [:]]]), (#"{"a":-0}"#, ["a": 0]),
        (#"{"a":9223372036854775807,"b":-9223372036854775808}"#, ["a": .integer(.max), "b": .integer(.min)]),
        (#"{"a":9223372036854775808}"#, ["a": .number(9_223_372_036_854_775_808)]), (#"{"a":1.0}"#, ["a": .number(1)]),
        (#"{"a":-1.5e+2}"#, ["a": .number(-150)]), (#"{"a":0.25E-1}"#, ["a": 0.025]),
        (#"{"a":1E3}"#, ["a": .number(1_000)]),
        (#"{"a":"é漢🎉"}"#, ["a": "é漢🎉"]), (#"{"a":"\"\\\/\b\f\n\r\t"}"#, ["a": "\"\\/\u{8}\u{C}\n\r\t"]),
        (#"{"a":"\u0041\u00e9\u00C9"}"#, ["a": "AéÉ"]), (#"{"a":"\ud83c\udf89"}"#, ["a": "🎉"]),
        (#"{"a":"\u0000"}"#, ["a": "\u{0}"]), (#"{"a":"\uFFFF\uffff"}"#, ["a": "\u{FFFF}\u{FFFF}"]),
        // The same name in two objects, and names that differ in case.
        (#"{"a":{"a":1},"A":2}"#, ["a": ["a": 1], "A": 2]),
    ]

    @Test(arguments: valid)
    func `a valid object is read`(_ text: String, _ members: [String: JSONValue]) throws {
        #expect(try parse(text) == members)
    }

    @Test func `names are compared by their scalars`() throws {
        // One é in two spellings: two names for APNs, one for a comparison that follows Unicode's equivalence.
        #expect(throws: Never.self) { try parse(#"{"\u00e9":1,"e\u0301":2}"#) }
        #expect(throws: JSONError.duplicateName(offset: 8)) { try parse(#"{"é":1,"\u00e9":2}"#) }
    }

    static let faults: [(String, JSONError)] = [
        ("", .syntax(offset: 0)), ("   ", .syntax(offset: 3)), ("{", .syntax(offset: 1)), ("}", .syntax(offset: 0)),
        ("{}}", .syntax(offset: 2)), ("{} x", .syntax(offset: 3)), ("{}{}", .syntax(offset: 2)),
        ("\u{FEFF}{}", .syntax(offset: 0)), ("\u{A0}{}", .syntax(offset: 0)), ("{,}", .syntax(offset: 1)),
        (#"{"a"}"#, .syntax(offset: 4)), (#"{"a":}"#, .syntax(offset: 5)), (#"{"a":1,}"#, .syntax(offset: 7)),
        (#"{"a" 1}"#, .syntax(offset: 5)), (#"{"a":1 "b":2}"#, .syntax(offset: 7)), ("{a:1}", .syntax(offset: 1)),
        ("{'a':1}", .syntax(offset: 1)), (#"{1:2}"#, .syntax(offset: 1)), (#"{"a":[1,]}"#, .syntax(offset: 8)),
        (#"{"a":[1 2]}"#, .syntax(offset: 8)), (#"{"a":[}"#, .syntax(offset: 6)), (#"{"a":01}"#, .syntax(offset: 6)),
        (#"{"a":+1}"#, .syntax(offset: 5)), (#"{"a":.5}"#, .syntax(offset: 5)), (#"{"a":1.}"#, .syntax(offset: 7)),
        (#"{"a":-}"#, .syntax(offset: 6)), (#"{"a":1e}"#, .syntax(offset: 7)), (#"{"a":1e+}"#, .syntax(offset: 8)),
        (#"{"a":0x1}"#, .syntax(offset: 6)), (#"{"a":NaN}"#, .syntax(offset: 5)),
        (#"{"a":Infinity}"#, .syntax(offset: 5)), (#"{"a":tru}"#, .syntax(offset: 5)),
        (#"{"a":True}"#, .syntax(offset: 5)), (#"{"a":nul"#, .syntax(offset: 5)), (#"{"a":"b}"#, .syntax(offset: 8)),
        (#"{"a"#, .syntax(offset: 3)), ("{\"a\":\"\n\"}", .syntax(offset: 6)), ("{\"\t\":1}", .syntax(offset: 2)),
        (#"{"a":"\x"}"#, .syntax(offset: 7)), (#"{"a":"\"#, .syntax(offset: 7)),
        (#"{"a":"\u12"}"#, .syntax(offset: 10)),
        (#"{"a":"\u12g4"}"#, .syntax(offset: 10)), ("{/**/}", .syntax(offset: 1)), ("{}//", .syntax(offset: 2)),
        ("[]", .notAnObject), ("\"a\"", .notAnObject), ("1", .notAnObject), ("null", .notAnObject),
        (#"{"a":1,"a":2}"#, .duplicateName(offset: 7)), (#"{"a":1,"\u0061":2}"#, .duplicateName(offset: 7)),
        (#"{"b":{"a":1,"a":1}}"#, .duplicateName(offset: 12)), (#"{"b":[{"a":1,"a":1}]}"#, .duplicateName(offset: 13)),
        (#"{"K":1,"\u212a":2,"K":3}"#, .duplicateName(offset: 18)),
        (#"{"\u212a":1,"K":2,"\u212a":3}"#, .duplicateName(offset: 18)),
        (#"{"":1,"":2}"#, .duplicateName(offset: 6)), (#"{"a":"\ud83c"}"#, .loneSurrogate(offset: 8)),
        (#"{"a":"\udf89"}"#, .loneSurrogate(offset: 8)), (#"{"a":"\ud83c\n"}"#, .loneSurrogate(offset: 8)),
        (#"{"a":"\ud83c\ud83c"}"#, .loneSurrogate(offset: 8)), (#"{"\ud83c":1}"#, .loneSurrogate(offset: 4)),
    ]

    @Test func `names that Swift compares as equal are no duplicates`() {
        #expect(throws: Never.self) { try parse(#"{"K":1,"\u212a":2}"#) }
    }

    @Test(arguments: faults)
    func `an invalid object is refused with the offset of its fault`(_ text: String, _ fault: JSONError) {
        #expect(throws: fault) { try parse(text) }
    }

    @Test(
        arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82]] as [[UInt8]])
    func `bytes that are not UTF-8 are refused`(_ bytes: [UInt8]) {
        #expect(throws: JSONError.encoding) {
            try JSONObjectParser.parse(Array(#"{"a":""#.utf8) + bytes + Array(#""}"#.utf8))
        }
    }

    @Test func `an object of thirty-two levels is accepted`() {
        func objects(_ depth: Int) -> String {
            String(repeating: #"{"a":"#, count: depth - 1) + "{}" + String(repeating: "}", count: depth - 1)
        }
        func arrays(_ depth: Int) -> String {
            #"{"a":"# + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}"
        }
        for nest in [objects, arrays] {
            #expect(throws: Never.self) { try parse(nest(32)) }
            #expect(throws: JSONError.self) { try parse(nest(33)) }
        }
        #expect(throws: JSONError.tooDeep(offset: 36)) { try parse(arrays(33)) }
        #expect(throws: JSONError.tooDeep(offset: 36)) { try parse(#"{"a":"# + String(repeating: "[", count: 100_000)) }
    }

    /// Parsers on devices reject such a number, and with it the whole push.
    @Test(arguments: ["1e999", "-1e999", "1e309", "123456789e400"])
    func `a number beyond double is refused`(number: String) {
        #expect(throws: JSONError.syntax(offset: 5)) { try JSONObjectParser.parse(Array("{\"a\":\(number)}".utf8)) }
    }

    @Test(arguments: ["1e308", "-1.7976931348623157e308", "123456789012345678901234567890", "0.000001", "-0"])
    func `a number within double is accepted`(number: String) throws {
        let members = try JSONObjectParser.parse(Array("{\"a\":\(number)}".utf8))
        #expect(members["a"]?.double == Double(number))
    }
}
