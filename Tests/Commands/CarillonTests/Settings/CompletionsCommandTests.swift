import Testing

/// The shells for which `carillon completions` prints a script.
struct CompletionsCommandTests {
    @Test func aShellWithCompletionsIsAccepted() {
        #expect(parsingError(of: ["completions", "zsh"]) == nil)
    }

    @Test func anotherShellIsRefused() {
        #expect(parsingError(of: ["completions", "csh"])?.contains("'csh' is invalid") == true)
    }
}
