import Testing

private let app = "com.example.game"

/// The refusals of arguments that cannot be read: each says what the argument must be.
struct CarillonRefusalTests {
    /// Expects that a command line is refused with a text that contains these words.
    private func expectRefusal(of arguments: [String], with words: String) throws {
        let text = try #require(errorOrHelp(of: arguments), "\(arguments) is taken")
        #expect(text.contains(words), "\(text)")
    }

    @Test(arguments: [
        ("abc", "'--token <hex>': a byte has two hexadecimal digits, and this has 3"),
        ("zz", "'z' is not a hexadecimal digit"),
        ("", "a token has 1 to 255 bytes, not 0"),
    ])
    func `a bad token says why`(_ token: String, _ words: String) throws {
        try expectRefusal(of: ["device", "show", "--app", app, "--token", token], with: words)
    }

    @Test(arguments: [
        (
            ["device", "show", "--app", "a b", "--device", "1"],
            "a bundle id has 1 to 155 letters, digits, '.' and '-'; ' ' is not allowed"
        ),
        (["device", "show", "--app", app, "--device", "x"], "a device id is a whole number"),
        (["message", "status", "0", "--app", app], "the number of a message is a whole number from 1"),
        (["message", "pace", "1", "0", "--app", app], "it is a whole number from 1, or none"),
        (["events", "--from", "then"], "it is the number of an event, oldest or now"),
    ])
    func `a bad name or number says why`(_ arguments: [String], _ words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    @Test(arguments: [
        (
            ["--topic", "lev le5!"],
            "the name of a topic has 1 to 200 letters, digits and -_.~%/:@+; ' ' is not allowed"
        ),
        (["--group", "user ada"], "the name of a group has"),
        (["--group", "/a"], "does not begin with '/'"),
    ])
    func `a bad audience says why`(_ audience: [String], _ words: String) throws {
        try expectRefusal(of: ["send", "--app", app, "--body", "a"] + audience, with: words)
    }

    @Test(arguments: [
        (["--at", "tomorrow"], "a time is 2026-07-01T12:00:00Z, or milliseconds since 1970, or from now as +10m"),
        (["--at", "+x"], "a duration is a whole number and ms, s, m, h or d"),
        (["--key", "1"], "a key is a UUID"),
        (["--expiration", "1ms"], "it is never-set, 0, or a duration"),
        (["--body-in", "x=a"], "'x' is not a language tag"),
        (["--data", "x"], "it is NAME=TEXT"),
    ])
    func `a bad option of a send says why`(_ option: [String], _ words: String) throws {
        try expectRefusal(of: ["send", "--app", app, "--all", "--body", "a"] + option, with: words)
    }

    @Test(arguments: [
        ("gaveup", "did you mean 'gave-up'?"),
        ("x", "the outcomes are pending, delivered"),
    ])
    func `a bad outcome says which there are`(_ outcome: String, _ words: String) throws {
        try expectRefusal(of: ["message", "outcomes", "42", "--app", app, "--outcome", outcome], with: words)
    }

    @Test func `an option of another command is named`() throws {
        try expectRefusal(of: ["message", "status", "1", "--app", app, "--watch"], with: "--watch")
    }

    @Test func `a bad timeout says what a duration is`() throws {
        try expectRefusal(of: ["ping", "--timeout", "soon"], with: "a duration is")
    }

    @Test(arguments: [
        (["topic", "lst", "--app", app], "There is no command 'lst' in 'carillon topic'. Did you mean 'list'?"),
        (["help", "message", "wacth"], "Did you mean 'watch'?"),
        (["send", "--app", app, "--device", "1", "--titel", "x"], "Unknown option '--titel'. Did you mean '--title'?"),
        (["ping", "--tiemout", "3"], "Did you mean '--timeout'?"),
        (["message", "pace", "1", "--app", app, "--severr", "x"], "Did you mean '--server'?"),
    ])
    func `a misspelt word is corrected`(_ arguments: [String], _ words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }
}
