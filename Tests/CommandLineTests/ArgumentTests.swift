import ArgumentParser
import CarillonClient
import CarillonCore
import Testing

@testable import carillon

private let app = "com.example.game"

/// The fault that parsing a command line ends with, or nothing.
private func complaint(_ arguments: [String]) -> String? {
    do {
        _ = try Carillon.parseAsRoot(arguments)
        return nil
    } catch {
        return Carillon.message(for: error)
    }
}

struct ArgumentTests {
    typealias Address = CarillonClient.Configuration.Address

    @Test(arguments: [
        ("127.0.0.1:7474", Address.tcp(host: "127.0.0.1", port: 7474)),
        ("[::1]:80", .tcp(host: "::1", port: 80)),
        ("push.internal:1", .tcp(host: "push.internal", port: 1)),
        ("unix:/run/carillon.sock", .unixSocket(path: "/run/carillon.sock")),
        ("unix:", nil), ("host", nil), ("host:", nil), (":80", nil), ("host:0", nil), ("host:65536", nil),
        ("::1:80", nil), ("[]:80", nil),
    ])
    func addresses(text: String, address: Address?) {
        #expect(Address(argument: text) == address)
    }

    @Test(
        arguments: [
            ("90", 90_000), ("90s", 90_000), ("500ms", 500), ("5m", 300_000), ("2h", 7_200_000), ("1d", 86_400_000),
            ("0", 0), ("", nil), ("s", nil), ("-1", nil), ("1.5s", nil), ("5 m", nil), ("99999999999999999999", nil),
            ("18446744073709551615d", nil),
        ] as [(String, UInt64?)])
    func spans(text: String, milliseconds: UInt64?) {
        #expect(TimeSpan(argument: text)?.milliseconds == milliseconds)
    }

    @Test func expirations() {
        let now = Timestamp(milliseconds: 1_000_500)
        #expect(ExpirationArgument(argument: "never-set")?.expiration(at: now) == .unspecified)
        #expect(ExpirationArgument(argument: "0")?.expiration(at: now) == .once)
        #expect(ExpirationArgument(argument: "60")?.expiration(at: now) == .at(seconds: 1_060))
        #expect(ExpirationArgument(argument: "1ms") == nil)
    }

    @Test(
        arguments: [
            ("2026-07-01T12:00:00Z", 1_782_907_200_000), ("1782907200000", 1_782_907_200_000), ("yesterday", nil),
        ] as [(String, UInt64?)])
    func times(text: String, milliseconds: UInt64?) {
        #expect(Timestamp(text: text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        ["send", "--app", app, "--device", "1", "--title", "Hi"],
        ["send", "--app", app, "--token", "aabb", "--type", "background"],
        ["lookup", "--app", app, "--device", "1"],
        ["register", "--app", app, "--token", "aabb", "--seen-at", "5"],
        ["ping", "--server", "unix:/x", "--timeout", "500ms"],
    ])
    func good(arguments: [String]) {
        #expect(complaint(arguments) == nil)
    }

    @Test(arguments: [
        (["send", "--app", app, "--title", "Hi"], "To whom?"),
        (["send", "--app", app, "--device", "1"], "What is said?"),
        (["send", "--app", app, "--device", "1", "--title", "Hi", "--payload", "{}"], "What is said?"),
        (["send", "--app", app, "--device", "1", "--badge", "1", "--payload-file", "x"], "What is said?"),
        (["send", "--app", app, "--device", "1", "--data", "a=b", "--payload", "{}"], "What is said?"),
        (["send", "--app", app, "--device", "1", "--title", "a", "--title-loc-key", "A"], "exclude each other"),
        (["send", "--app", app, "--device", "1", "--body", "a", "--loc-arg", "b"], "--loc-arg belongs to --loc-key"),
        (["send", "--app", app, "--device", "1", "--sound", "a", "--volume", "1"], "--volume belongs to --critical"),
        (["send", "--app", app, "--device", "1", "--data", "a=1", "--data", "a=2"], "a name twice"),
        (["send", "--app", app, "--device", "1", "--data", "=1"], "--data"),
        (["send", "--app", app, "--device", "1", "--interruption-level", "loud"], "--interruption-level"),
        (["send", "--app", "not an app", "--device", "1", "--title", "Hi"], "--app"),
        (["lookup", "--app", app], "one of the two"),
        (["lookup", "--app", app, "--token", "xyz"], "--token"),
        (["register", "--app", app], "one of the two"),
        (["ping", "--certificate", "x"], "belong together"),
        (["ping", "--plaintext", "--ca", "x"], "contradicts"),
    ])
    func faulty(arguments: [String], complaint expected: String) throws {
        let text = try #require(complaint(arguments))
        #expect(text.contains(expected))
    }

    @Test func aMessageOfItsOptions() throws {
        let command = try SendCommand.parse([
            "--app", app, "--token", "aabb", "--device", "7", "--type", "voip", "--environment", "sandbox", "--title",
            #"A "quoted" title"#, "--expiration", "0", "--not-after", "10s", "--lane", "bulk", "--key",
            "00000000-0000-4000-8000-000000000001", "--collapse-id", "c",
        ])
        let message = try command.message(at: Timestamp(milliseconds: 5_000))
        let token = DeviceAddress(environment: .sandbox, kind: .voip, token: DeviceToken([0xAA, 0xBB])!)
        #expect(message.devices == [.address(token), .id(DeviceID(rawValue: 7))])
        #expect(message.content.payload == Array(#"{"aps":{"alert":{"title":"A \"quoted\" title"}}}"#.utf8))
        #expect(message.content.expiration == .once)
        #expect(message.notAfter == Timestamp(milliseconds: 15_000))
        #expect(message.lane == .bulk)
        #expect(message.key.description == "00000000-0000-4000-8000-000000000001")
    }

    @Test(arguments: [
        (["--server", "localhost:1"], true), (["--server", "127.0.0.1:1"], true), (["--server", "unix:/x"], true),
        (["--server", "push.internal:1"], false), (["--server", "127.example.com:1"], false),
        (["--server", "localhost:1", "--ca", "x"], false), (["--server", "push.internal:1", "--plaintext"], true),
    ])
    func plaintextIsImpliedWhereNothingLeavesTheMachine(arguments: [String], isPlaintext: Bool) throws {
        let configuration = try ServerOptions.parse(arguments).configuration(environment: [:])
        #expect((configuration.security == .plaintext) == isPlaintext)
    }

    @Test func theEnvironmentFillsIn() throws {
        let environment = ["CARILLON_SERVER": "unix:/env", "CARILLON_API_KEY": " key\n", "CARILLON_API_KEY_FILE": ""]
        let configuration = try ServerOptions.parse([]).configuration(environment: environment)
        #expect(configuration.address == .unixSocket(path: "/env"))
        #expect(configuration.apiKey == "key")
        #expect(throws: ValidationError.self) {
            try ServerOptions.parse([]).configuration(environment: ["CARILLON_API_KEY_FILE": "/no/such/file"])
        }
    }
}
