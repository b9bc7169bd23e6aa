import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonTestKit
import CarillonVersion
import Foundation
import Testing

@testable import carillon_load

/// The server that a load is for, and the permission to send to it.
struct TargetOptionsTests {
    private let directory = TemporaryDirectory()

    private func parseOptions(_ arguments: String...) throws -> TargetOptions { try TargetOptions.parse(arguments) }

    @Test func `the server comes from option, environment or file`() throws {
        let config = try directory.write(#"{"server": "file.test:1", "ca": "ca.pem"}"#, to: "config.json")
        let variables = ["CARILLON_SERVER": "variable.test:2", "CARILLON_API_KEY": "secret"]
        let cases: [([String], [String: String], String)] = [
            (["--server", "option.test:3", "--config", config], variables, "option.test:3"),
            (["--own", "--config", config], variables, "variable.test:2"),
            (["--config", config], ["HOME": "/nonexistent"], "file.test:1"),
        ]
        for (arguments, environment, address) in cases {
            let configuration = try TargetOptions.parse(arguments).configuration(environment: environment)
            #expect("\(configuration.address)" == address)
            #expect(configuration.literalKey == environment["CARILLON_API_KEY"].map { Array($0.utf8) })
            #expect(configuration.security == .tls(authorities: .file(directory.file("ca.pem"))))
            #expect(configuration.programName == "carillon-load/\(Version.number)")
        }
    }

    @Test func `there is no default server`() throws {
        let options = try parseOptions("--own")
        #expect { try options.configuration(environment: ["HOME": "/nonexistent"]) } throws: {
            "\($0)".contains("No server is given")
        }
    }

    /// Options and operations of a load, and true if it may be run.
    struct Load: CustomTestStringConvertible {
        let arguments: [String]
        let mix: String
        let isAllowed: Bool

        var testDescription: String { "\(mix) with \(arguments.joined(separator: " "))" }
    }

    @Test(arguments: [
        Load(arguments: ["--own"], mix: "send-token", isAllowed: true),
        Load(arguments: ["--server", "127.0.0.1:1"], mix: "lookup,register", isAllowed: true),
        Load(arguments: ["--server", "127.0.0.1:1"], mix: "lookup,send-topic", isAllowed: false),
        Load(arguments: ["--server", "push.test:1"], mix: "send-token", isAllowed: false),
        Load(arguments: ["--server", "push.test:1", "--allow-apple"], mix: "send-token", isAllowed: true),
        Load(
            arguments: ["--server", "push.test:1", "--simulator-control", "push.test:2"], mix: "send-group",
            isAllowed: true),
    ])
    func `pushes need a simulator or permission`(_ load: Load) throws {
        let options = try TargetOptions.parse(load.arguments)
        let mix = try Mix(load.mix)
        if load.isAllowed { return try options.checkApple(mix) }
        #expect { try options.checkApple(mix) } throws: { "\($0)".contains("connected to Apple") }
    }

    @Test(arguments: [
        ["--own", "--server", "127.0.0.1:1"], ["--server", "127.0.0.1:1", "--server-flag=--client-threads=1"],
        ["--server", "127.0.0.1:1", "--certificate", "c.pem"], ["--own", "--simulator-control", "127.0.0.1:1"],
    ])
    func `options that exclude each other are refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try TargetOptions.parse(arguments) }
    }

    @Test func `a server without a port is refused`() {
        #expect(throws: (any Error).self) { try TargetOptions.parse(["--server", "nowhere"]) }
    }
}
