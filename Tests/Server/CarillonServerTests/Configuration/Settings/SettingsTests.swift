import Configuration
import Testing

@testable import CarillonServer

/// The settings as the server reads them, and the faults that it names.
struct SettingsTests {
    private func settings(_ values: [AbsoluteConfigKey: ConfigValue] = [:]) throws -> Settings {
        try Settings(ConfigReader(provider: InMemoryProvider(values: values)))
    }

    @Test func `the defaults are valid and listen on loopback only`() throws {
        #expect(try settings().problems.isEmpty)
        #expect(try settings().listen.host == "127.0.0.1")
        #expect(try !settings().listen.allowPlaintext)
    }

    @Test(arguments: [
        ("listen.port", "65536"), ("apns.port", "0"), ("apns.maximumConnections", "0"),
        ("apns.answerTimeoutSeconds", "301"),
        ("data.limitMebibytes", "7"), ("limits.connections", "0"), ("limits.halfOpenConnections", "0"),
        ("limits.halfOpenConnectionsPerAddress", "0"), ("limits.keepaliveSeconds", "0"), ("limits.drainSeconds", "601"),
        ("clientThreads", "65"), ("retention.messageDays", "0"), ("metrics.port", "70000"),
        ("pools.maximumConnectionAgeMinutes", "0"),
        ("pools.minimumConnections", "9"), ("proxy.address", "proxy.internal"), ("proxy.credentialsFile", "p"),
        ("log.level", "loud"), ("log.audit", "some"), ("listen.certificateKeyFile", "server.key"),
        ("listen.clientAuthoritiesFile", "ca.pem"),
    ])
    func `an invalid setting is named`(_ name: String, _ value: String) throws {
        let content = Int(value).map { ConfigContent.int($0) } ?? .string(value)
        let settings = try settings([
            AbsoluteConfigKey(name.split(separator: ".").map(String.init)): .init(content, isSecret: false)
        ])
        #expect(settings.problems.first?.place == name)
    }

    @Test func `every number outside its range is named`() throws {
        for setting in Setting.all {
            guard case .number(_, let range) = setting.value else { continue }
            let key = AbsoluteConfigKey(setting.name.split(separator: ".").map(String.init))
            for number in [range.lowerBound - 1, range.upperBound + 1] {
                let settings = try settings([key: .init(.int(number), isSecret: false)])
                #expect(settings.problems.map(\.place).contains(setting.name), "\(setting.name): \(number)")
            }
        }
    }

    @Test(arguments: [
        ("clientThreads", ConfigContent.string("many")), ("listen.port", .string("8080x")),
        ("clientThreads", .double(0.5)),
        ("listen.allowPlaintext", .string("maybe")), ("listen.port", .bool(true)),
    ])
    func `a setting of another type is not taken for absent`(_ name: String, _ content: ConfigContent) throws {
        let key = AbsoluteConfigKey(name.split(separator: ".").map(String.init))
        let error = #expect(throws: SettingsError.self) { try settings([key: .init(content, isSecret: false)]) }
        #expect(error?.place == name)
    }

    /// Names are not looked up: `localhost` is the only one that counts as loopback.
    @Test(arguments: ["127.0.0.1", "127.3.2.1", "::1", "localhost"])
    func `a loopback address needs no certificate`(_ host: String) throws {
        #expect(try consoleSettings(host: host).problems.isEmpty)
    }

    @Test(arguments: ["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.example", "console.internal", "127.1", ""])
    func `another address needs a certificate`(_ host: String) throws {
        #expect(try consoleSettings(host: host).problems.map(\.place) == ["console.host"])
    }

    private func consoleSettings(host: String) throws -> Settings {
        try settings([
            AbsoluteConfigKey(["console", "port"]): .init(.int(0), isSecret: false),
            AbsoluteConfigKey(["console", "host"]): .init(.string(host), isSecret: false),
        ])
    }
}
