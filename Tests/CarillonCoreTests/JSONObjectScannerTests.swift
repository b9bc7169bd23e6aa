import CarillonCore
import Testing

struct JSONObjectScannerTests {
    /// Readers on devices give up on a number that no Double holds, and with it on the whole push.
    @Test(arguments: ["1e999", "-1e999", "1e309", "123456789e400"])
    func aNumberBeyondDoubleIsRefused(number: String) {
        #expect(throws: JSONFault.syntax(offset: 5)) { try JSONObjectScanner.scan(Array("{\"a\":\(number)}".utf8)) }
    }

    @Test(arguments: ["1e308", "-1.7976931348623157e308", "123456789012345678901234567890", "0.000001", "-0"])
    func anyOtherNumberIsTaken(number: String) throws {
        let members = try JSONObjectScanner.scan(Array("{\"a\":\(number)}".utf8))
        #expect(members["a"] == .number(try #require(Double(number))))
    }
}
