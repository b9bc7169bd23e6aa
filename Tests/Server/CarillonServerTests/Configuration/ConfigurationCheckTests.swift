import CarillonTestKit
import Configuration
import NIOCore
import NIOPosix
import Testing

@testable import CarillonServer

/// The faults that `carillond check-config` finds before a start would.
@Suite(.cleansUp) struct ConfigurationCheckTests {
    private let files: DeploymentFiles

    init() throws { files = try DeploymentFiles() }

    /// Returns the findings of the files with these settings: `problem` or `note`, the place and the text, without the
    /// path of the directory.
    private func findings(_ change: (inout Settings) -> Void = { _ in }) throws -> [String] {
        let check = try check(change)
        let lines = check.problems.map { "problem \($0)" } + check.notes.map { "note \($0)" }
        return lines.map { $0.replacing(files.path("") + "/", with: "") }
    }

    /// Settings with which nothing listens. The database is in the temporary directory.
    private func check(_ change: (inout Settings) -> Void = { _ in }) throws -> ConfigurationCheck {
        var settings = try files.settings()
        settings.listen.port = 0
        settings.metrics.port = 0
        settings.data.path = files.path("data")
        change(&settings)
        return ConfigurationCheck(settings)
    }

    /// Returns a port of 127.0.0.1 that a socket listens on.
    private func takenPort() async throws -> Int {
        let channel = try await ServerBootstrap(group: NIOSingletons.posixEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        // Why try?: a socket that cannot be closed is closed already.
        CleanUp.add { try? await channel.close().get() }
        return try #require(channel.localAddress?.port)
    }

    @Test func `a valid configuration is summarized`() throws {
        #expect(try findings() == [])
        #expect(try check().summary == "1 app, 1 credential, 1 principal")
        try files.makeKey("second")
        try files.writeApps(
            credentials: ["main", "second"], apps: ["com.example.a": "main", "com.example.b": "second"])
        #expect(try check().summary == "2 apps, 2 credentials, 1 principal")
    }

    // MARK: Files

    @Test func `a part that cannot be made is named with its reason`() throws {
        let missing = files.path("missing/data")
        #expect(
            try findings {
                $0.data.path = missing
                $0.listen.unixSocket = missing
                $0.listen.portFile = missing
                $0.metrics.portFile = missing
            }
                == ["data.path", "listen.unixSocket", "listen.portFile", "metrics.portFile"].map {
                    "problem \($0): missing/data cannot be made in missing: No such file or directory"
                })
    }

    @Test func `a file in place of the data directory is a problem`() throws {
        try files.write("data", "")
        #expect(try findings() == ["problem data.path: data is not a directory"])
        #expect(try findings { $0.data.path = files.path("") } == [])
    }

    // MARK: Addresses

    @Test func `a port in use is a note because it may be the server itself`() async throws {
        let port = try await takenPort()
        let note = "127.0.0.1:\(port) is in use, perhaps by a carillond that runs already"
        #expect(try findings { $0.listen.port = port } == ["note listen.host: \(note)"])
        #expect(
            try findings { ($0.metrics.host, $0.metrics.port) = ("127.0.0.1", port) } == ["note metrics.host: \(note)"])
        #expect(try findings { ($0.http.host, $0.http.port) = ("127.0.0.1", port) } == ["note http.host: \(note)"])
    }

    @Test func `an address of another machine is a problem`() throws {
        // An address for documentation (RFC 5737): no machine has it.
        #expect(
            try findings { $0.metrics.host = "192.0.2.1" } == [
                "problem metrics.host: 192.0.2.1 is not an address of this machine"
            ])
        #expect(
            try findings { $0.metrics.host = "no address" } == [
                "problem metrics.host: no address is neither an address nor the name of one"
            ])
    }

    @Test func `two services on one port are a problem`() throws {
        let problems = try findings { settings in
            for port in [\Settings.http, \Settings.console] {
                settings[keyPath: port].host = "127.0.0.1"
                settings[keyPath: port].port = 45_871
            }
            settings.listen.host = "127.0.0.1"
            settings.listen.port = 45_870
            settings.metrics.host = "127.0.0.1"
            settings.metrics.port = 45_870
        }
        #expect(
            problems.filter { $0.hasPrefix("problem") } == [
                "problem metrics.port: is the same as listen.port; each needs its own",
                "problem http.port: is the same as console.port; each needs its own",
            ])
    }

    @Test func `ports that are free or off are not compared`() throws {
        #expect(
            try findings { settings in
                settings.listen.host = "127.0.0.1"
                settings.listen.port = 0
                settings.metrics.host = "127.0.0.1"
                settings.metrics.port = 0
                settings.http.port = -1
                settings.console.port = -1
            } == [])
    }

    // MARK: Credentials and certificates

    @Test func `a credential without app and an app without credential are notes`() throws {
        try files.makeKey("spare")
        try files.write(
            "apps.json",
            #"""
            {"credentials": {"spare": {"teamID": "TEAM123456", "keyID": "KEY1234567", "keyFile": "spare.p8"}},
             "apps": {"com.example.game": {}}}
            """#)
        #expect(
            try findings() == [
                "note apps.json: credential spare: no app uses it",
                "note apps.json: app com.example.game: has no credential: nothing can be sent",
            ])
    }

    @Test(arguments: [
        (-1, "problem listen.certificateFile: the certificate has expired"),
        (11, "note listen.certificateFile: the certificate expires in 1"), (40, nil),
    ])
    func `a certificate that expires is named before it does`(days: Int, expected: String?) throws {
        let authority = try TestAuthority()
        try authority.issue("server", subject: "/CN=server", names: "DNS:localhost", days: days)
        let found = try findings { settings in
            settings.allowsAccessByOthers = true
            settings.listen.certificateFile = authority.path("server.pem")
            settings.listen.certificateKeyFile = authority.path("server.key")
        }
        // It has 11 days, or a second less.
        #expect(found.map { $0.prefix(expected?.count ?? 0) } == [expected].compactMap { $0.map { $0[...] } })
    }
}
