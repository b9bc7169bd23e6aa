import Testing

private let app = "com.example.game"

/// The command lines of `carillon register` that are accepted and refused.
struct RegisterCommandTests {
    @Test(arguments: [
        (["--attribute", "kind=a"], "'kind' follows from the device"),
        (["--attribute", "a b=a"], "a key has 1 to 32"),
        (["--attribute", "a=a b"], "a value has 1 to 64"),
        (["--attribute", "a"], "an attribute is KEY=VALUE"),
        (["--seen-at", "x"], "a time is"),
    ])
    func `a bad option is refused with the reason`(_ option: [String], _ words: String) throws {
        let text = try #require(errorOrHelp(of: ["register", "--app", app, "--token", "aa"] + option))
        #expect(text.contains(words), "\(text)")
    }

    @Test func `a token of Android replaces another`() {
        #expect(parsingError(of: ["register", "--app", app, "--fcm", "c:d", "--replaces", "c:e"]) == nil)
    }

    @Test(
        arguments: [
            (["--fcm", "c:d", "--kind", "voip"], "not for --fcm"), (["--fcm", "a/b"], "letters, digits and -_:.%~"),
            ([], "by --token, --fcm or --web-subscription"), (["--fcm", "c:d", "--replaces", "/"], "--replaces"),
        ] as [([String], String)])
    func `a registration without a valid token is refused`(_ options: [String], _ reason: String) {
        #expect(parsingError(of: ["register", "--app", app] + options)?.contains(reason) == true)
    }
}
