import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonTestKit
import Foundation
import Testing

/// The sources of the server's address, of the key and of other settings.
struct ConfigFileTests {
    private let directory = TemporaryDirectory()
    private var folder: String { directory.path }

    init() throws {
        for name in ["option", "variable", "file"] { try write(name + ".key", "key-of-\(name)\n") }
    }

    private func write(_ name: String, _ text: String) throws {
        try directory.write(text, to: name)
    }

    private func configuration(
        _ arguments: [String] = [], _ environment: [String: String] = [:]
    ) throws -> CarillonClient.Configuration {
        let options = try ServerOptions.parse(arguments)
        return try options.configuration(environment: environment.merging(["HOME": folder]) { given, _ in given })
    }

    /// Returns the error of a configuration file with this text.
    private func loadingError(ofFile text: String) throws -> String {
        try write("bad.json", text)
        let error = try #require(throws: (any Error).self) { try configuration(["--config", folder + "/bad.json"]) }
        return "\(error)"
    }

    /// Returns the error of a context that is named in an option.
    private func refusal(ofContext name: String, _ environment: [String: String]) throws -> String {
        let error = try #require(throws: CommandError.self) { try configuration(["--context", name], environment) }
        return error.message
    }

    /// The sources that name a server and a key, and the server and key that are taken.
    struct Sources: CustomTestStringConvertible {
        var option = false
        var variable = false
        var file = false
        let server: String
        var key: String?

        var testDescription: String {
            let given = [(option, "option"), (variable, "variable"), (file, "file")].filter(\.0).map(\.1)
            return given.isEmpty ? "no source" : given.joined(separator: ", ")
        }
    }

    @Test(
        arguments: [
            Sources(option: true, variable: true, file: true, server: "option", key: "key-of-option"),
            Sources(variable: true, file: true, server: "variable", key: "key-of-variable"),
            Sources(file: true, server: "file", key: "key-of-file"),
            Sources(option: true, file: true, server: "option", key: "key-of-option"),
            Sources(variable: true, server: "variable", key: "key-of-variable"),
            Sources(server: "127.0.0.1"),
        ])
    func `an option overrides a variable and a variable overrides the file`(_ sources: Sources) throws {
        if sources.file {
            try write(".config/carillon/config.json", #"{"server": "file:7474", "apiKeyFile": "../../file.key"}"#)
        }
        let found = try configuration(
            sources.option ? ["--server", "option:7474", "--api-key-file", folder + "/option.key"] : [],
            sources.variable
                ? ["CARILLON_SERVER": "variable:7474", "CARILLON_API_KEY_FILE": folder + "/variable.key"] : [:])
        #expect(found.address == .tcp(host: sources.server, port: 7474))
        #expect(found.literalKey == sources.key.map { Array($0.utf8) })
    }

    @Test func `a key in the environment overrides the file`() throws {
        try write("c.json", #"{"apiKeyFile": "~/file.key"}"#)
        let named = ["CARILLON_CLI_CONFIG": folder + "/c.json"]
        #expect(try configuration([], named).literalKey == Array("key-of-file".utf8))
        #expect(try configuration([], named.merging(["CARILLON_API_KEY": "k"]) { $1 }).literalKey == Array("k".utf8))
    }

    @Test func `a named file is read instead of the usual one`() throws {
        try write(".config/carillon/config.json", #"{"server": "usual:1"}"#)
        try write("a.json", #"{"server": "option:1"}"#)
        try write("b.json", #"{"server": "variable:1"}"#)
        let variable = ["CARILLON_CLI_CONFIG": folder + "/b.json"]
        #expect(try configuration(["--config", folder + "/a.json"], variable).address == .tcp(host: "option", port: 1))
        #expect(try configuration([], variable).address == .tcp(host: "variable", port: 1))
        #expect(try configuration().address == .tcp(host: "usual", port: 1))
        #expect(try configuration([], ["XDG_CONFIG_HOME": folder]).address == .tcp(host: "127.0.0.1", port: 7474))
        #expect(throws: CommandError.self) { try configuration(["--config", folder + "/none.json"]) }
    }

    @Test func `the settings of a secure server are read`() throws {
        try write(
            "c.json",
            """
            // of the office
            {"server": "push.internal:7474", "ca": "ca.pem", "timeout": "7s",
              // the client certificate
              "certificate": "/etc/us.pem", "certificateKey": "~/us.key"}
            """)
        let found = try configuration(["--config", folder + "/c.json"])
        #expect(
            found.security
                == .tls(
                    authorities: .file(folder + "/ca.pem"),
                    clientCertificate: .init(chain: .file("/etc/us.pem"), key: .file(folder + "/us.key"))))
        #expect(found.requestTimeout == .seconds(7))
    }

    @Test func `the setting plaintext is read`() throws {
        try write("p.json", #"{"server": "push.internal:7474", "plaintext": true}"#)
        #expect(try configuration(["--config", folder + "/p.json"]).security == .plaintextAnywhere)
    }

    @Test func `an option overrides a setting of the file`() throws {
        try write("c.json", #"{"server": "push.internal:7474", "ca": "ca.pem", "timeout": "7s"}"#)
        try write("p.json", #"{"server": "push.internal:7474", "plaintext": true}"#)
        #expect(try configuration(["--config", folder + "/c.json", "--timeout", "9s"]).requestTimeout == .seconds(9))
        #expect(try configuration(["--config", folder + "/c.json", "--plaintext"]).security == .plaintextAnywhere)
        #expect(
            try configuration(["--config", folder + "/p.json", "--ca", "x"]).security
                == .tls(authorities: .file("x"), clientCertificate: nil))
    }

    private func writeContexts() throws -> String {
        try write(
            "contexts.json",
            """
            // of the office
            {"server": "usual:1", "ca": "ca.pem", "timeout": "7s", "apiKeyFile": "file.key", "app": "com.example.usual",
             "contexts": {
               "live": {"server": "live:1", "apiKeyFile": "option.key"},
               "test": {"server": "test:1", "plaintext": true, "app": "com.example.test"}}}
            """)
        return folder + "/contexts.json"
    }

    @Test func `a context overrides the other settings of the file`() throws {
        let file = ["CARILLON_CLI_CONFIG": try writeContexts()]
        let live = try configuration(["--context", "live"], file)
        #expect(live.address == .tcp(host: "live", port: 1))
        #expect(live.literalKey == Array("key-of-option".utf8))
        #expect(live.requestTimeout == .seconds(7))
        #expect(live.security == .tls(authorities: .file(folder + "/ca.pem"), clientCertificate: nil))
        #expect(try configuration([], file).address == .tcp(host: "usual", port: 1))
    }

    @Test func `a context without a key has that of the file`() throws {
        let file = ["CARILLON_CLI_CONFIG": try writeContexts()]
        let test = try configuration([], file.merging(["CARILLON_CONTEXT": "test"]) { $1 })
        #expect(test.address == .tcp(host: "test", port: 1))
        #expect(test.literalKey == Array("key-of-file".utf8))
        #expect(
            test.security == .plaintextAnywhere, "the settings of TLS are those of the context, or those of the file")
    }

    @Test func `a context has an app of its own`() throws {
        let file = ["CARILLON_CLI_CONFIG": try writeContexts()]
        func app(_ arguments: [String]) throws -> String {
            try ServerOptions.parse(arguments).app(AppOption.parse([]), environment: file).name
        }
        #expect(try app([]) == "com.example.usual")
        #expect(try app(["--context", "test"]) == "com.example.test")
    }

    private func contextChoice(_ environment: [String: String]) throws -> ContextChoice {
        try ContextChoice(nil, context: nil, environment: environment)
    }

    /// A context that is named does not lead to the server, the key or the app of the environment.
    @Test func `a named context overrides the environment`() throws {
        let variables = ["CARILLON_CLI_CONFIG": try writeContexts(), "CARILLON_SERVER": "variable:1"]
        #expect(try configuration(["--context", "live"], variables).address == .tcp(host: "live", port: 1))
    }

    @Test func `the environment and a named context override the chosen context`() throws {
        let file = ["CARILLON_CLI_CONFIG": try writeContexts()]
        try ContextChoice(environment: file).choose("test")
        #expect(try configuration([], file).address == .tcp(host: "test", port: 1))
        #expect(try configuration(["--context", "live"], file).address == .tcp(host: "live", port: 1))
        let variables = file.merging(["CARILLON_SERVER": "variable:1"]) { $1 }
        #expect(try configuration([], variables).address == .tcp(host: "variable", port: 1))
    }

    @Test func `a choice is kept until the next one`() throws {
        let file = ["CARILLON_CLI_CONFIG": try writeContexts()]
        try ContextChoice(environment: file).choose("test")
        #expect(try ContextChoice(environment: file).name == "test")
        try ContextChoice(environment: file).choose(nil)
        #expect(try configuration([], file).address == .tcp(host: "usual", port: 1))
    }

    @Test func `an unknown context is refused`() throws {
        let file = ["CARILLON_CLI_CONFIG": try writeContexts()]
        let misspelt = try refusal(ofContext: "lvie", file)
        #expect(misspelt.contains("there is no context 'lvie' in"))
        #expect(misspelt.contains("did you mean 'live'?"))
        #expect(try refusal(ofContext: "other-one", file).contains("there are live, test"))
        #expect(try refusal(ofContext: "live", [:]).contains("there is no configuration file"))
    }

    @Test func `an unknown context is not chosen`() throws {
        let file = ["CARILLON_CLI_CONFIG": try writeContexts()]
        let choice = try ContextChoice(environment: file)
        #expect(throws: CommandError.self) { try choice.choose("lvie") }
        try write("contexts.json.context", "a b\n")
        #expect(throws: CommandError.self) { try self.configuration([], file) }
    }

    /// A file that is refused, what is wrong with it, and words of the error.
    struct Refused: CustomTestStringConvertible {
        let why: String
        let text: String
        let words: String

        var testDescription: String { why }
    }

    @Test(arguments: [
        Refused(
            why: "a typo in a context", text: #"{"contexts": {"a": {"sever": "a:1"}}}"#,
            words: "sever: no such setting. Did you mean 'server'?"),
        Refused(
            why: "a space in the name of a context", text: #"{"contexts": {"a b": {}}}"#,
            words: "'a b' is not a name of a context"),
        Refused(
            why: "a context with a certificate and no key", text: #"{"contexts": {"a": {"certificate": "a"}}}"#,
            words: "the context a: certificate and certificateKey belong together"),
        Refused(
            why: "a context in a context", text: #"{"contexts": {"a": {"contexts": {"b": {}}}}}"#,
            words: "the context a has contexts"),
        Refused(
            why: "a typo", text: #"{"sever": "a:1"}"#, words: "sever: no such setting. Did you mean 'server'?"),
        Refused(why: "an unknown setting", text: #"{"color": 1}"#, words: "There are server, apiKeyFile"),
        Refused(why: "a setting twice", text: #"{"ca": "a", "ca": "b"}"#, words: "the same name twice"),
        Refused(why: "a number for a text", text: #"{"server": 1}"#, words: "server has a value of the wrong type"),
        Refused(why: "an app with a space", text: #"{"app": "a b"}"#, words: "app: 'a b': a bundle id has"),
        Refused(why: "a timeout in words", text: #"{"timeout": "soon"}"#, words: "timeout: 'soon' is not a time"),
        Refused(why: "a certificate without its key", text: #"{"certificate": "a"}"#, words: "belong together"),
        Refused(why: "plaintext with authorities", text: #"{"plaintext": true, "ca": "a"}"#, words: "contradicts"),
        Refused(why: "a server without a port", text: #"{"server": "nowhere"}"#, words: "neither HOST:PORT"),
        Refused(
            why: "a key file that is missing", text: #"{"apiKeyFile": "none.key"}"#,
            words: "none.key cannot be read: No such file or directory"),
    ])
    func `a bad setting is refused with its reason`(_ file: Refused) throws {
        let error = try loadingError(ofFile: file.text)
        #expect(error.contains(file.words), "\(error)")
    }

    @Test(arguments: [
        Refused(why: "a list", text: "[1]", words: "is not a JSON object"),
        Refused(why: "an open brace", text: "{", words: "is not JSON: line 1, column 2"),
        Refused(
            why: "a comma too many, after a comment and ü", text: "{\n// a\n \"ca\": \"ü\",}",
            words: "is not JSON: line 3, column 12"),
        Refused(why: "an empty file", text: "", words: "is not JSON"),
        Refused(
            why: "a file that is too long", text: String(repeating: " ", count: 70_000),
            words: "more than 65536 bytes"),
    ])
    func `a file that is not JSON is refused with the place of its fault`(_ file: Refused) throws {
        let error = try loadingError(ofFile: file.text)
        #expect(error.contains(file.words), "\(error)")
    }
}
