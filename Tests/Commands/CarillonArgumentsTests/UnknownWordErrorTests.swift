import Testing

/// The errors of a program about words that it does not know.
struct UnknownWordErrorTests {
    /// Expects that `post` refuses a command line with a text that begins with these words.
    private func expectRefusal(of arguments: [String], with words: String) throws {
        let text = try #require(SampleProgram.errorOrHelp(of: arguments), "\(arguments) is taken")
        #expect(text.hasPrefix("Error: " + words), "\(text)")
    }

    @Test(arguments: [
        (["sned"], "There is no command 'sned' in 'post'. Did you mean 'send'?"),
        (["sned", "--title", "x"], "There is no command 'sned' in 'post'. Did you mean 'send'?"),
        (["topic", "lst", "--limit", "2"], "There is no command 'lst' in 'post topic'. Did you mean 'list'?"),
        (["topics", "list"], "There is no command 'topics' in 'post'. Did you mean 'topic'?"),
        (["help", "sned"], "There is no command 'sned' in 'post'. Did you mean 'send'?"),
        (["help", "topic", "lst"], "There is no command 'lst' in 'post topic'. Did you mean 'list'?"),
    ])
    func `a misspelt command is corrected`(_ arguments: [String], _ words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    @Test(arguments: [
        (["send", "--titel", "x"], "Unknown option '--titel'. Did you mean '--title'?"),
        (["send", "--titel=x"], "Unknown option '--titel'. Did you mean '--title'?"),
        (["topic", "list", "--limti", "3"], "Unknown option '--limti'. Did you mean '--limit'?"),
    ])
    func `a misspelt option is corrected`(_ arguments: [String], _ words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    @Test(arguments: [
        (["topic", "fly"], "There is no command 'fly' in 'post topic'. There are list, devices.\n"),
        (["send", "--fast"], "Unknown option '--fast'.\n"),
    ])
    func `a word that is like no other is not corrected`(_ arguments: [String], _ words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    @Test(arguments: [
        (["topic", "lst"], "\n  See 'post topic --help' for more information."),
        (["send", "--titel", "x"], "\n  See 'post send --help' for more information."),
    ])
    func `an error ends with the help of its command`(_ arguments: [String], _ words: String) throws {
        let text = try #require(SampleProgram.errorOrHelp(of: arguments))
        #expect(text.hasSuffix(words), "\(text)")
    }

    @Test func `an error says where an option stands if it comes before the command`() throws {
        try expectRefusal(
            of: ["--limit", "2", "topic", "list"], with: "Unknown option '--limit'. Options come after the command.\n")
    }

    @Test(arguments: [
        (["send", "--title", "--titel"], "Missing value for '--title <title>'"),
        (["send", "--body", "--no-such-option"], "Missing value for '--body <body>'"),
        (["send"], "Missing expected argument '--title <title>'"),
        (["topic", "list", "more"], "Unexpected argument 'more'"),
        (["topic", "list", "--", "--fast"], "Unexpected argument"),
    ])
    func `the parser reports faults other than unknown words`(_ arguments: [String], _ words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }
}
