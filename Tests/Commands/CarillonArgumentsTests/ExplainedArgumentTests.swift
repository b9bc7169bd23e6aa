import Testing

/// Options and arguments that say why a text is none of their values.
struct ExplainedArgumentTests {
    @Test(arguments: [
        // With a default, optional, repeated, and an argument without a name.
        (["send", "--title", "x", "--copies", "0"], "'--copies <copies>': '0' is not a number from 1 to 9"),
        (["topic", "list", "--limit", "ten"], "'--limit <limit>': 'ten' is not a number from 1 to 9"),
        (
            ["topic", "list", "--column", "1", "--column", "10"],
            "'--column <column>': '10' is not a number from 1 to 9"
        ),
        (["topic", "devices", "x"], "'<page>': 'x' is not a number from 1 to 9"),
    ])
    func `an error says why a text is no value`(_ arguments: [String], _ words: String) throws {
        let text = try #require(SampleProgram.errorOrHelp(of: arguments), "\(arguments) is taken")
        #expect(text.contains(words), "\(text)")
    }

    @Test(arguments: [
        ["send", "--title", "x"], ["send", "--title", "x", "--copies", "9"],
        ["topic", "list", "--limit", "1", "--column", "2", "--column", "3"], ["topic", "devices", "4"],
    ])
    func `a value is accepted`(_ arguments: [String]) {
        #expect(SampleProgram.errorOrHelp(of: arguments) == nil)
    }

    @Test func `help names the default of an option`() throws {
        let help = try #require(SampleProgram.errorOrHelp(of: ["send", "--help"]))
        #expect(help.contains("The number of copies. (default: 1)"), "\(help)")
    }
}
