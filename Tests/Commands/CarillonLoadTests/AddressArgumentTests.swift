import CarillonClient
import Testing

@testable import carillon_load

struct AddressArgumentTests {
    /// The text of an address, and true if it is on this machine.
    struct ParsedAddress: CustomTestStringConvertible {
        let text: String
        let isLocal: Bool

        var testDescription: String { text }
    }

    @Test(arguments: [
        ParsedAddress(text: "127.0.0.1:7474", isLocal: true),
        ParsedAddress(text: "push.internal:7474", isLocal: false),
        ParsedAddress(text: "[::1]:80", isLocal: true),
        ParsedAddress(text: "unix:/run/c.sock", isLocal: true),
    ])
    func `an address is parsed`(_ parsed: ParsedAddress) throws {
        let argument = try #require(AddressArgument(argument: parsed.text))
        #expect(argument.address.isLocal == parsed.isLocal)
        #expect(argument.address.description == parsed.text)
    }

    @Test(arguments: ["", "host", "host:0", "host:70000", ":80", "unix:", "::1:80"])
    func `an invalid address is refused`(text: String) {
        #expect(AddressArgument(argument: text) == nil)
    }
}
