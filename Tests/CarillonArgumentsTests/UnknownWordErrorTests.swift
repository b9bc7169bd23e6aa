import ArgumentParser
import CarillonArguments
import CarillonCommandLine
import CarillonCore
import Foundation
import Testing

@testable import carillon

private let app = "com.example.game"

/// Returns the error of a command line, or the help that it asks for; nil for success.
private func complaint(_ arguments: [String]) -> String? {
    do {
        var command = try Carillon.parsed(arguments)
        guard !(command is any AsyncParsableCommand) else { return nil }
        try command.run()
        return nil
    } catch {
        return Carillon.text(for: error)
    }
}

/// The complaints of `carillon` about command lines that it cannot run: each test has those that make one point.
struct UnknownWordErrorTests {
    /// Expects that a command line is refused with a text that contains these words.
    private func expectRefusal(of arguments: [String], with words: String) throws {
        let text = try #require(complaint(arguments), "\(arguments) is taken")
        #expect(text.contains(words), "\(text)")
    }

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
        (["send", "--title", "--titel"], "--title"),
        (["send", "--app", app, "--device", "1"], "The content is missing"),
        (["ping", "--", "--fast"], "Unexpected argument"),
        (["topic", "list", "more"], "Unexpected argument 'more'"),
        (["send", "--body", "--no-such-option", "--app", app], "--body"),
    ])
    func theParserReportsFaultsOtherThanUnknownWords(_ arguments: [String], _ words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    @Test(arguments: [["--help"], ["help"], ["topic", "--help"], ["help", "topic", "list"], ["--version"]])
    func helpIsNoFault(_ arguments: [String]) {
        do {
            var command = try Carillon.parsed(arguments)
            try command.run()
            Issue.record("\(arguments) did something")
        } catch {
            #expect(Carillon.exitCode(for: error).isSuccess)
        }
    }

    @Test func helpBeginsWithTheOptionsOfTheCommandAndEndsWithThoseOfTheServer() {
        let help = complaint(["send", "--help"]) ?? ""
        let titles = help.split(separator: "\n").filter {
            $0.last == ":" && $0.allSatisfy { $0.isUppercase || $0 == ":" }
        }
        #expect(titles == ["OPTIONS:", "AUDIENCE:", "CONTENT:", "ANDROID:", "BROWSERS:", "DELIVERY:", "SERVER:"])
        let options = help.split(separator: "\n").filter { $0.hasPrefix("  --") }.map { $0.split(separator: " ")[0] }
        #expect(options.prefix(4) == ["--app", "--type", "--label", "--wait"])
        #expect(options.last == "--context")
        #expect(help.contains("USAGE: carillon send [--app <bundle-id>] <audience> <content> [<options>]\n"))
        #expect(["\n", "\n\n"].map { help.hasSuffix($0) } == [true, false])
        let list = complaint(["topic", "list", "--help"]) ?? ""
        let parts = list.components(separatedBy: "SERVER:")
        #expect(parts.count == 2)
        #expect(parts[0].contains("--prefix"))
        #expect(!parts[0].contains("\n  --timeout"))
    }

    @Test(arguments: [
        ("abc", "'--token <hex>': a byte has two hexadecimal digits, and this has 3"),
        ("zz", "'z' is not a hexadecimal digit"),
        ("", "a token has 1 to 255 bytes, not 0"),
    ])
    func aBadTokenSaysWhy(_ token: String, _ words: String) throws {
        try expectRefusal(of: ["lookup", "--app", app, "--token", token], with: words)
    }

    @Test(arguments: [
        (
            ["lookup", "--app", "a b", "--device", "1"],
            "a bundle id has 1 to 155 letters, digits, '.' and '-'; ' ' is not allowed"
        ),
        (["lookup", "--app", app, "--device", "x"], "a device id is a whole number"),
        (["message", "status", "0", "--app", app], "the number of a message is a whole number from 1"),
        (["message", "pace", "1", "0", "--app", app], "it is a whole number from 1, or none"),
        (["events", "--from", "then"], "it is the number of an event, oldest or now"),
    ])
    func aBadNameOrNumberSaysWhy(_ arguments: [String], _ words: String) throws {
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
    func aBadAudienceSaysWhy(_ audience: [String], _ words: String) throws {
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
    func aBadOptionOfASendSaysWhy(_ option: [String], _ words: String) throws {
        try expectRefusal(of: ["send", "--app", app, "--all", "--body", "a"] + option, with: words)
    }

    @Test(arguments: [
        ("gaveup", "did you mean 'gave-up'?"),
        ("x", "the outcomes are pending, delivered"),
    ])
    func aBadOutcomeSaysWhichThereAre(_ outcome: String, _ words: String) throws {
        try expectRefusal(of: ["message", "outcomes", "42", "--app", app, "--outcome", outcome], with: words)
    }

    @Test(arguments: [
        (["--attribute", "kind=a"], "'kind' follows from the device"),
        (["--attribute", "a b=a"], "a key has 1 to 32"),
        (["--attribute", "a=a b"], "a value has 1 to 64"),
        (["--attribute", "a"], "an attribute is KEY=VALUE"),
        (["--seen-at", "x"], "a time is"),
    ])
    func aBadOptionOfARegistrationSaysWhy(_ option: [String], _ words: String) throws {
        try expectRefusal(of: ["register", "--app", app, "--token", "aa"] + option, with: words)
    }

    @Test func aBadTimeoutSaysWhatADurationIs() throws {
        try expectRefusal(of: ["ping", "--timeout", "soon"], with: "a duration is")
    }

    @Test(arguments: [
        ("CARILLON_SEVER", "CARILLON_SERVER"), ("CARILLON_API_KEYFILE", "CARILLON_API_KEY_FILE"),
        ("CARILLON_APPP", "CARILLON_APP"), ("CARILLON_CLI_CONFG", "CARILLON_CLI_CONFIG"),
    ])
    func aMisspeltVariableIsRefused(_ name: String, _ meant: String) {
        let typo = EnvironmentVariables.typo(in: ["PATH", name])
        #expect(typo == "\(name) is not an environment variable of this program. Did you mean \(meant)?")
    }

    /// Variables of the program, settings of the server, what Kubernetes sets for a service, what a test run sets.
    @Test(arguments: [
        "CARILLON_SERVER", "CARILLON_CONFIG", "CARILLON_LISTEN_PORT", "CARILLON_PORT", "CARILLON_APPS_FILE",
        "CARILLON_SERVICE_HOST", "CARILLON_PROGRAMS", "CARILLON_SEED", "SEVER",
    ])
    func aVariableOfAnotherProgramIsNoTypo(_ name: String) {
        #expect(EnvironmentVariables.typo(in: ["PATH", name]) == nil)
    }

    @Test func theAppComesFromTheOptionOrTheEnvironment() throws {
        func found(_ arguments: [String], _ environment: [String: String]) throws -> String {
            try ServerOptions.parse([]).app(AppOption.parse(arguments), environment: environment).name
        }
        let variable = ["CARILLON_APP": "com.example.shop"]
        #expect(try found(["--app", app], variable) == app)
        #expect(try found([], variable) == "com.example.shop")
        let missing = #expect(throws: CommandError.self) {
            try found([], ["CARILLON_APP": "", "HOME": "/nonexistent"])
        }
        #expect(missing?.message.hasPrefix("the app is missing: --app BUNDLE-ID, or CARILLON_APP") == true)
        let wrong = #expect(throws: CommandError.self) { try found([], ["CARILLON_APP": "a b"]) }
        #expect(wrong?.message.hasPrefix("CARILLON_APP is 'a b': a bundle id has") == true)
    }
}
