import CarillonCore
import Testing

/// The strings that are written into JSON.
struct JSONStreamWriterTests {
    @Test func `a string of an output is read as it was`() throws {
        let text = String(String.UnicodeScalarView((0..<0x80).map { Unicode.Scalar($0)! })) + "é漢🎉"
        var output = JSONStreamWriter()
        output.string(text)
        #expect(try LocatedJSONParser.parse(output.bytes).text == text)
        #expect(JSONValue.quoted("\"\\/\u{8}\t\n\u{C}\r\u{1}\u{1F}") == #""\"\\/\b\t\n\f\r\u0001\u001f""#)
    }
}
