import ArgumentParser
import CarillonClient
import CarillonCommandLine
import Testing

/// The configuration that the options about the server make, with the environment, and misspelt variables.
struct ServerOptionsTests {
    @Test(arguments: [
        (["--server", "localhost:1"], true), (["--server", "127.0.0.1:1"], true), (["--server", "unix:/x"], true),
        (["--server", "push.internal:1"], false), (["--server", "127.example.com:1"], false),
        (["--server", "localhost:1", "--ca", "x"], false), (["--server", "push.internal:1", "--plaintext"], true),
    ])
    func `plaintext is the default for servers on the same machine`(arguments: [String], isPlaintext: Bool) throws {
        let configuration = try ServerOptions.parse(arguments).configuration(environment: [:])
        #expect((configuration.tls(for: configuration.address) == nil) == isPlaintext)
    }

    @Test func `the environment replaces missing options`() throws {
        let environment = ["CARILLON_SERVER": "unix:/env", "CARILLON_API_KEY": " key\n", "CARILLON_API_KEY_FILE": ""]
        let configuration = try ServerOptions.parse([]).configuration(environment: environment)
        #expect(configuration.address == .unixSocket(path: "/env"))
        #expect(configuration.literalKey == Array("key".utf8))
        #expect(throws: CommandError.self) {
            try ServerOptions.parse([]).configuration(environment: ["CARILLON_API_KEY_FILE": "/no/such/file"])
        }
    }

    @Test(arguments: [
        ("CARILLON_SEVER", "CARILLON_SERVER"), ("CARILLON_API_KEYFILE", "CARILLON_API_KEY_FILE"),
        ("CARILLON_APPP", "CARILLON_APP"), ("CARILLON_CLI_CONFG", "CARILLON_CLI_CONFIG"),
    ])
    func `a misspelt variable is refused`(_ name: String, _ meant: String) {
        let typo = EnvironmentVariables.typo(in: ["PATH", name])
        #expect(typo == "\(name) is not an environment variable of this program. Did you mean \(meant)?")
    }

    /// Variables of the program, settings of the server, what Kubernetes sets for a service, what a test run sets.
    @Test(arguments: [
        "CARILLON_SERVER", "CARILLON_CONFIG", "CARILLON_LISTEN_PORT", "CARILLON_PORT", "CARILLON_APPS_FILE",
        "CARILLON_SERVICE_HOST", "CARILLON_PROGRAMS", "CARILLON_SEED", "SEVER",
    ])
    func `a variable of another program is no typo`(_ name: String) {
        #expect(EnvironmentVariables.typo(in: ["PATH", name]) == nil)
    }
}
