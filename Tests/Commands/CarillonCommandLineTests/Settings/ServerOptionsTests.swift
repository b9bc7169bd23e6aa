import ArgumentParser
import CarillonClient
import CarillonCommandLine
import Testing

/// The configuration that the options about the server make, with the environment.
struct ServerOptionsTests {
    @Test(arguments: [
        (["--server", "localhost:1"], true), (["--server", "127.0.0.1:1"], true), (["--server", "unix:/x"], true),
        (["--server", "push.internal:1"], false), (["--server", "127.example.com:1"], false),
        (["--server", "localhost:1", "--ca", "x"], false), (["--server", "push.internal:1", "--plaintext"], true),
    ])
    func plaintextIsTheDefaultForServersOnTheSameMachine(arguments: [String], isPlaintext: Bool) throws {
        let configuration = try ServerOptions.parse(arguments).configuration(environment: [:])
        #expect((configuration.tls(for: configuration.address) == nil) == isPlaintext)
    }

    @Test func theEnvironmentReplacesMissingOptions() throws {
        let environment = ["CARILLON_SERVER": "unix:/env", "CARILLON_API_KEY": " key\n", "CARILLON_API_KEY_FILE": ""]
        let configuration = try ServerOptions.parse([]).configuration(environment: environment)
        #expect(configuration.address == .unixSocket(path: "/env"))
        #expect(configuration.literalKey == Array("key".utf8))
        #expect(throws: CommandError.self) {
            try ServerOptions.parse([]).configuration(environment: ["CARILLON_API_KEY_FILE": "/no/such/file"])
        }
    }
}
