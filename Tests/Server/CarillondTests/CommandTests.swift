import Testing

@testable import carillond

/// The command that the arguments of carillond ask for, or the fault in them.
struct CommandTests {
    private func fault(_ arguments: [String]) -> String? {
        do throws(UsageError) {
            _ = try Command(arguments)
            return nil
        } catch {
            return error.description
        }
    }

    /// Expects that a command line is refused with a text that contains these words.
    private func expectRefusal(of arguments: [String], with words: String) throws {
        let text = try #require(fault(arguments), "\(arguments) is taken")
        #expect(text.contains(words), "\(text)")
    }

    @Test(arguments: [[], ["serve"]])
    func `the server starts without a command`(_ arguments: [String]) throws {
        #expect(try Command(arguments) == .serve([]))
    }

    @Test(
        arguments: [
            (["--config", "f", "--listen-port", "0"], ["--config=f", "--listen-port=0"]),
            (["serve", "--listen-port=7"], ["--listen-port=7"]),
            (["--listen-host", ""], ["--listen-host="]),
            (["--test-log-format", "2"], ["--test-log-format=2"]),
        ] as [([String], [String])])
    func `a setting is an option with one word or two`(_ arguments: [String], _ settings: [String]) throws {
        #expect(try Command(arguments) == .serve(settings))
    }

    @Test(
        arguments: [
            (["--listen-allow-plaintext", "--config", "f"], ["--listen-allow-plaintext", "--config=f"]),
            (["--listen-allow-plaintext", "false"], ["--listen-allow-plaintext=false"]),
        ] as [([String], [String])])
    func `a setting that is true or false needs no value`(_ arguments: [String], _ settings: [String]) throws {
        #expect(try Command(arguments) == .serve(settings))
    }

    @Test(arguments: [["check-config", "f"], ["check-config", "--config", "f"]])
    func `the file of a check is an argument or an option`(_ arguments: [String]) throws {
        #expect(try Command(arguments) == .checkConfiguration(["--config=f"]))
    }

    @Test(
        arguments: [
            (["check-health", "--config", "f"], .checkHealth(["--config=f"])),
            (["check-health"], .checkHealth([])),
            (["cluster-status", "--config", "f"], .showCluster(["--config=f"])),
            (["version"], .printVersion),
            (["--version"], .printVersion),
            (["--example-config"], .printExample),
        ] as [([String], Command)])
    func `each further command is named by its word`(_ arguments: [String], _ command: Command) throws {
        #expect(try Command(arguments) == command)
    }

    @Test(arguments: [["help"], ["-h"], ["serve", "--help"]])
    func `help is asked for by a command or an option`(_ arguments: [String]) throws {
        #expect(try Command(arguments) == .printHelp(ofMakeKey: false))
    }

    @Test(arguments: [["help", "make-key"], ["make-key", "--help"], ["make-key", "a", "-h"]])
    func `make-key has help of its own`(_ arguments: [String]) throws {
        #expect(try Command(arguments) == .printHelp(ofMakeKey: true))
    }

    @Test(arguments: [
        (["chekc-config", "--config", "f"], "there is no command 'chekc-config'. Did you mean 'check-config'?"),
        (["make-keys", "backend"], "Did you mean 'make-key'?"),
        (["example-config"], "Did you mean '--example-config'?"),
        (["help", "make-kye"], "Did you mean 'make-key'?"),
        (["--listen-prot", "3"], "unknown option '--listen-prot'. Did you mean '--listen-port'?"),
        (["make-key", "a", "--role", "amdin"], "Did you mean 'admin'?"),
        (["make-key", "a", "--rol", "x"], "Did you mean '--role'?"),
    ])
    func `a typo is corrected`(_ arguments: [String], _ words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    @Test(arguments: [
        (["run"], "There are serve, check-config,"),
        (["make-key", "a", "--role", "x"], "There are register, send, observe, admin."),
        (["-x"], "unknown option '-x'."),
    ])
    func `a word that is like no other gets the list`(_ arguments: [String], _ words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    @Test(arguments: [["carillon.json"], ["serve", "/etc/carillon.json"]])
    func `a file in the place of a command gets the option for it`(_ arguments: [String]) throws {
        try expectRefusal(of: arguments, with: "For a file of settings: --config \(arguments.last!)")
    }

    @Test(arguments: [
        (["serve", "more"], "no command 'more'"),
        (["--config", "f", "more"], "no command 'more'"),
        (["version", "more"], "no command 'more'"),
        (["check-config", "a", "b"], "check-config takes one file, not a and b"),
        (["make-key", "a", "b"], "'b' is another word"),
    ])
    func `a surplus word is named`(_ arguments: [String], _ words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    @Test(arguments: [
        (["--listen-port"], "--listen-port needs a value"),
        (["--listen-port", "--config", "f"], "--listen-port needs a value"),
        (["make-vapid"], "needs one file"),
        (["make-key"], "needs the name"),
        (["make-key", "a", "--out"], "--out needs a value"),
    ])
    func `a missing value is named`(_ arguments: [String], _ words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    @Test(arguments: [
        (["--apns-port", "1", "--apns-port=2"], "--apns-port is given twice: 1 and 2"),
        (["--example-config", "--example-config"], "given twice"),
        (["check-config", "a", "--config", "b"], "the file is given twice: b and a"),
        (["make-key", "a", "--role", "send", "--role", "send"], "--role is given twice"),
    ])
    func `an option that is given twice is named`(_ arguments: [String], _ words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    @Test(arguments: [
        (["--example-config=yes"], "--example-config takes no value"),
        (["make-key", ""], "1 to 255 bytes, this one has 0"),
        (["make-key", String(repeating: "a", count: 256)], "this one has 256"),
        (["make-key", "a", "--app", "a b"], "'a b' is not an app"),
    ])
    func `a bad value is named`(_ arguments: [String], _ words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }
}
