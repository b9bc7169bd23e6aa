import Testing

/// The command lines of `carillon top`.
struct TopCommandTests {
    @Test(arguments: [[], ["--once", "--json", "--interval", "200ms"]])
    func `a command line is accepted`(_ options: [String]) {
        #expect(parsingError(of: ["top"] + options) == nil)
    }

    @Test func `an interval below 200 milliseconds is refused`() {
        #expect(parsingError(of: ["top", "--interval", "100ms"])?.contains("200ms to 1h") == true)
    }
}
