import Testing

/// The shells for which `carillon completions` prints a script.
struct CompletionsCommandTests {
    @Test func `a shell with completions is accepted`() {
        #expect(parsingError(of: ["completions", "zsh"]) == nil)
    }

    @Test func `another shell is refused`() {
        #expect(parsingError(of: ["completions", "csh"])?.contains("'csh' is invalid") == true)
    }
}
