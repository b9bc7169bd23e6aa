import CarillonCore
import Testing

/// The numbers beyond Double, which parsers on devices reject, and with them the whole push.
struct JSONObjectParserNumberTests {
    @Test(arguments: ["1e999", "-1e999", "1e309", "123456789e400"])
    func aNumberBeyondDoubleIsRefused(number: String) {
        #expect(throws: JSONError.syntax(offset: 5)) { try JSONObjectParser.parse(Array("{\"a\":\(number)}".utf8)) }
    }

    @Test(arguments: ["1e308", "-1.7976931348623157e308", "123456789012345678901234567890", "0.000001", "-0"])
    func aNumberWithinDoubleIsAccepted(number: String) throws {
        let members = try JSONObjectParser.parse(Array("{\"a\":\(number)}".utf8))
        #expect(members["a"]?.double == Double(number))
    }
}
