import Testing

/// The errors of `carillon` about words that it does not know.
struct UnknownWordErrorTests {
    @Test(arguments: [
        (["sned"], "There is no command 'sned' in 'carillon'. Did you mean 'send'?"),
        (["sned", "--app", app], "'sned' in 'carillon'. Did you mean 'send'?"),
        (["topic", "lst", "--app", app], "There is no command 'lst' in 'carillon topic'. Did you mean 'list'?"),
        (["topics", "list"], "There is no command 'topics' in 'carillon'. Did you mean 'topic'?"),
        (["help", "sned"], "Did you mean 'send'?"),
        (["help", "message", "wacth"], "Did you mean 'watch'?"),
    ])
    func aMisspeltCommandIsCorrected(_ arguments: [String], _ words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    @Test(arguments: [
        (["send", "--app", app, "--device", "1", "--titel", "x"], "Unknown option '--titel'. Did you mean '--title'?"),
        (["send", "--titel=x"], "'--titel'. Did you mean '--title'?"),
        (["ping", "--tiemout", "3"], "Did you mean '--timeout'?"),
        (["message", "pace", "1", "--app", app, "--severr", "x"], "Did you mean '--server'?"),
    ])
    func aMisspeltOptionIsCorrected(_ arguments: [String], _ words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    @Test(arguments: [
        (["topic", "lst"], "See 'carillon topic --help'"),
        (["send", "--titel", "x"], "See 'carillon send --help'"),
    ])
    func anErrorNamesTheHelpOfItsCommand(_ arguments: [String], _ words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    @Test(arguments: [
        (["topic", "fly"], "There are subscribe, unsubscribe, list, devices."),
        (["ping", "--fast"], "Unknown option '--fast'.\n"),
    ])
    func aWordThatIsLikeNoOtherIsNotCorrected(_ arguments: [String], _ words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    @Test func anErrorSaysWhereAnOptionStandsIfItComesBeforeTheCommand() throws {
        try expectRefusal(of: ["--app", app, "topic", "list"], with: "Options come after the command.")
    }

    @Test(arguments: [
        (["send", "--title", "--titel"], "Missing value for '--title"),
        (["send", "--app", app, "--device", "1"], "The content is missing"),
        (["ping", "--", "--fast"], "Unexpected argument"),
        (["topic", "list", "more"], "Unexpected argument 'more'"),
        (["send", "--body", "--no-such-option", "--app", app], "Missing value for '--body"),
    ])
    func theParserReportsFaultsOtherThanUnknownWords(_ arguments: [String], _ words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }
}
