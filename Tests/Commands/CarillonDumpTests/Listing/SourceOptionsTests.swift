import ArgumentParser
import CarillonCore
import Testing

@testable import carillon_dump

/// The options of where a command reads, and of how it shows tokens.
struct SourceOptionsTests {
    private static let address = DeviceAddress(
        environment: .sandbox, kind: .device, token: DeviceToken([1, 2, 3, 4, 5, 6, 7, 8])!)

    @Test func `a token is shown short`() throws {
        let shortened = try SourceOptions.parse(["--data", "/nowhere"])
        let full = try SourceOptions.parse(["--data", "/nowhere", "--full-tokens"])
        #expect(shortened.token(of: Self.address) == "01020304…")
        #expect(full.token(of: Self.address) == "0102030405060708")
    }

    @Test(arguments: [
        ["devices", "--data", "/d", "--server", "x:1"], ["devices", "--data", "/d", "--topic", "a", "--group", "b"],
    ])
    func `options that exclude each other are refused`(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try CarillonDump.parseAsRoot(arguments) }
    }

    @Test(arguments: [["verify"], ["import", "--data", "/d"], ["show", "device", "--app", "a.b", "--data", "/d"]])
    func `a command without its argument is refused`(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try CarillonDump.parseAsRoot(arguments) }
    }

    @Test(arguments: [["devices", "--data", "/d", "--limit", "0"], ["messages", "--data", "/d", "--state", "done"]])
    func `an option with an invalid value is refused`(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try CarillonDump.parseAsRoot(arguments) }
    }
}
