import CarillonCore
import CarillonTestKit
import Configuration
import Foundation
import Testing

@testable import CarillonServer

/// The server's reading of its settings and files, and its errors for those that it cannot use.
struct ConfigurationTests {
    private let directory = TemporaryDirectory()

    private func file(_ text: String) throws -> String { try directory.write(text, to: "\(UUID()).json") }

    private func settings(_ values: [AbsoluteConfigKey: ConfigValue] = [:]) throws -> Settings {
        try Settings(ConfigReader(provider: InMemoryProvider(values: values)))
    }

    // MARK: Settings

    @Test func theDefaultsAreValidAndListenOnLoopbackOnly() throws {
        #expect(try settings().problems.isEmpty)
        #expect(try settings().listen.host == "127.0.0.1")
        #expect(try !settings().listen.allowPlaintext)
    }

    @Test(arguments: [
        ("listen.port", "65536"), ("apns.port", "0"), ("apns.connections", "0"), ("apns.answerSeconds", "301"),
        ("data.limitMebibytes", "7"), ("limits.connections", "0"), ("limits.halfOpenConnections", "0"),
        ("limits.halfOpenConnectionsPerAddress", "0"), ("limits.keepaliveSeconds", "0"), ("limits.drainSeconds", "601"),
        ("threads", "65"), ("retention.messageDays", "0"), ("metrics.port", "70000"), ("apns.ageMinutes", "0"),
        ("apns.minimumConnections", "9"), ("proxy.address", "proxy.internal"), ("proxy.credentialsFile", "p"),
        ("log.level", "loud"), ("log.audit", "some"), ("listen.key", "server.key"),
        ("listen.clientAuthorities", "ca.pem"),
    ])
    func anInvalidSettingIsNamed(_ name: String, _ value: String) throws {
        let content = Int(value).map { ConfigContent.int($0) } ?? .string(value)
        let settings = try settings([
            AbsoluteConfigKey(name.split(separator: ".").map(String.init)): .init(content, isSecret: false)
        ])
        #expect(settings.problems.first?.place == name)
    }

    @Test func everyNumberOutsideItsRangeIsNamed() throws {
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
        ("threads", ConfigContent.string("many")), ("listen.port", .string("8080x")), ("threads", .double(0.5)),
        ("listen.allowPlaintext", .string("maybe")), ("listen.port", .bool(true)),
    ])
    func aSettingOfAnotherTypeIsNotTakenForAbsent(_ name: String, _ content: ConfigContent) throws {
        let key = AbsoluteConfigKey(name.split(separator: ".").map(String.init))
        let error = #expect(throws: SettingsError.self) { try settings([key: .init(content, isSecret: false)]) }
        #expect(error?.place == name)
    }

    /// Names are not looked up: `localhost` is the only one that counts as loopback.
    @Test(arguments: ["127.0.0.1", "127.3.2.1", "::1", "localhost"])
    func loopbackAddressNeedsNoCertificate(_ host: String) throws {
        #expect(try consoleSettings(host: host).problems.isEmpty)
    }

    @Test(arguments: ["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.example", "console.internal", "127.1", ""])
    func otherAddressNeedsACertificate(_ host: String) throws {
        #expect(try consoleSettings(host: host).problems.map(\.place) == ["console.host"])
    }

    private func consoleSettings(host: String) throws -> Settings {
        try settings([
            AbsoluteConfigKey(["console", "port"]): .init(.int(0), isSecret: false),
            AbsoluteConfigKey(["console", "host"]): .init(.string(host), isSecret: false),
        ])
    }

    // MARK: Apps

    @Test func anAppGoesToThePoolOfItsCredential() throws {
        let path = try file(
            """
            {"credentials": {"main": {"teamID": "ABCDE12345", "keyID": "KEY1234567", "keyFile": "key.p8"}},
             "apps": {"com.example.game": {"production": "main"}, "com.example.chat": {}}}
            """)
        let routes = try AppsFile.load(path: path).routes
        let game = try #require(AppID("com.example.game"))
        let chat = try #require(AppID("com.example.chat"))
        #expect(routes.pool(for: game, .apnsProduction) == PoolKey(destination: .apnsProduction, credential: "main"))
        #expect(routes.pool(for: game, .apnsSandbox) == nil)
        #expect(routes.serves(chat))
        #expect(routes.pool(for: chat, .apnsProduction) == nil)
    }

    @Test func anAppOfBothProvidersHasAPoolForEach() throws {
        let path = try file(
            """
            {"credentials": {"main": {"teamID": "ABCDE12345", "keyID": "KEY1234567", "keyFile": "key.p8"},
                             "firebase": {"serviceAccount": "game.json", "messagesPerMinute": 6000}},
             "apps": {"com.example.game": {"production": "main", "fcm": "firebase"}}}
            """)
        let routes = try AppsFile.load(path: path).routes
        let game = try #require(AppID("com.example.game"))
        let pool = try #require(routes.pool(for: game, .fcm))
        #expect(pool.description == "firebase/production")
        #expect(routes.apps(of: pool) == [game])
        #expect(routes.all.count == 2)
        #expect(routes.pool(for: game, .web) == nil)
    }

    /// A file that is refused, what is wrong with it, and words of the error.
    struct Refused: CustomTestStringConvertible {
        let why: String
        let text: String
        let words: String

        init(_ why: String, _ text: String, words: String) { (self.why, self.text, self.words) = (why, text, words) }

        var testDescription: String { why }
    }

    /// A file with one credential `m` and one app.
    private static func apps(_ why: String, credential: String, app: String = "{}", words: String) -> Refused {
        Refused(why, #"{"credentials": {"m": \#(credential)}, "apps": {"a.b": \#(app)}}"#, words: words)
    }

    private func expectRefusal(_ it: Refused) throws {
        let path = try file(it.text)
        let error = #expect(throws: SettingsError.self) { try AppsFile.load(path: path) }
        #expect(error?.description.contains(it.words) == true, "\(error?.description ?? "no error")")
        #expect(error?.place.hasPrefix(path) == true)
    }

    @Test(arguments: [
        Refused("no app", #"{"credentials": {}, "apps": {}}"#, words: "names no app"),
        Refused("no apps", #"{"credentials": {}}"#, words: "\"apps\" is missing"),
        Refused(
            "an unknown credential", #"{"credentials": {}, "apps": {"com.example.game": {"production": "main"}}}"#,
            words: "which does not exist"),
        Refused(
            "a space in an app", #"{"credentials": {}, "apps": {"com example": {}}}"#, words: "is not a bundle id"),
        Refused(
            "a typo", "{\"credentials\": {},\n \"aps\": {}}",
            words: "aps is not known: line 2, column 2. Did you mean 'apps'?"),
        Refused(
            "a typo in a credential", #"{"credentials": {"m": {"keyfile": "f"}}, "apps": {}}"#,
            words: "credentials.m.keyfile is not known: line 1"),
        Refused(
            "an unknown environment", #"{"credentials": {}, "apps": {"a.b": {"xyz": "m"}}}"#,
            words: "There are fcm, managementTopic, production, sandbox, web."),
        Refused(
            "a number for a credential", #"{"credentials": {"m": 7}, "apps": {}}"#,
            words: "credentials.m must be an object: line 1, column 18"),
        Refused("a text", "not JSON", words: "is not JSON"),
    ])
    func anInvalidAppsFileIsRefusedWithTheReason(_ it: Refused) throws { try expectRefusal(it) }

    @Test(arguments: [
        apps(
            "a short team id", credential: #"{"teamID": "A", "keyID": "KEY1234567", "keyFile": "k"}"#,
            words: "teamID must be"),
        apps("no key", credential: #"{"teamID": "ABCDE12345"}"#, words: "needs one of keyFile"),
        apps(
            "two kinds of key", credential: #"{"serviceAccount": "f", "certificate": "c"}"#,
            words: "needs one of keyFile"),
        apps(
            "no contact", credential: #"{"vapidKeyFile": "v"}"#, app: #"{"web": "m"}"#,
            words: "subject must be a mailto: or https: URI"),
        apps(
            "a local contact", credential: #"{"vapidKeyFile": "v", "subject": "mailto:a@localhost"}"#,
            words: "subject must be a mailto: or https: URI"),
        apps(
            "a quota for a certificate", credential: #"{"certificate": "c", "messagesPerMinute": 600}"#,
            words: "messagesPerMinute is for a serviceAccount"),
        apps(
            "a quota below one a second", credential: #"{"serviceAccount": "f", "messagesPerMinute": 59}"#,
            words: "messagesPerMinute must be at least 60"),
        apps(
            "a negative quota", credential: #"{"serviceAccount": "f", "messagesPerMinute": -1}"#,
            words: "a number is negative, too large or not whole"),
    ])
    func anInvalidCredentialIsRefusedWithTheReason(_ it: Refused) throws { try expectRefusal(it) }

    @Test(arguments: [
        apps(
            "a service account for APNs", credential: #"{"serviceAccount": "f"}"#, app: #"{"production": "m"}"#,
            words: "one of another provider"),
        apps(
            "a certificate for FCM", credential: #"{"certificate": "c"}"#, app: #"{"fcm": "m"}"#,
            words: "one of another provider"),
        apps(
            "a VAPID key for FCM", credential: #"{"vapidKeyFile": "v", "subject": "mailto:a@b.example"}"#,
            app: #"{"fcm": "m"}"#, words: "one of another provider"),
    ])
    func aCredentialOfAnotherProviderIsRefused(_ it: Refused) throws { try expectRefusal(it) }

    // MARK: Principals

    @Test func aKeyAndACertificateNameTheirPrincipal() throws {
        let made = try NewAPIKey()
        let principals = try PrincipalsFile.load(
            path: try file(
                """
                {"principals": [
                  {"name": "game", "keySHA256": ["\(made.sha256)"], "certificateNames": ["game.example.com"],
                   "grants": [{"app": "com.example.game", "roles": ["register", "send"]}], "requestsPerSecond": 7},
                  {"name": "watch", "grants": [{"app": "*", "roles": ["observe"]}]}]}
                """))
        let principal = try #require(principals.principal(for: ClientIdentity(key: Array(made.key.utf8))))
        let game = try #require(AppID("com.example.game"))
        let chat = try #require(AppID("com.example.chat"))
        #expect((principal.name, principal.requestsPerSecond) == ("game", 7))
        let may = [
            principal.mayUse(game, as: .send), principal.mayUse(game, as: .observe), principal.mayUse(chat, as: .send),
        ]
        #expect(may == [true, false, false])
        #expect(principals.principal(for: ClientIdentity(key: Array((made.key + "x").utf8))) == nil)
        #expect(principals.principal(for: ClientIdentity(key: [])) == nil)
    }

    @Test(arguments: [
        Refused("no principal", #"{"principals": []}"#, words: "names no principal"),
        Refused(
            "an unknown role", #"{"principals": [{"name": "a", "grants": [{"app": "*", "roles": ["root"]}]}]}"#,
            words: "the role root is not one of"),
        Refused(
            "a space in an app", #"{"principals": [{"name": "a", "grants": [{"app": "a b", "roles": []}]}]}"#,
            words: "a b is not a bundle id"),
        Refused(
            "a short hash", #"{"principals": [{"name": "a", "keySHA256": ["abc"], "grants": []}]}"#,
            words: "64 hexadecimal digits"),
        Refused(
            "a name twice", #"{"principals": [{"name": "a", "grants": []}, {"name": "a", "grants": []}]}"#,
            words: "is twice in the file"),
        Refused("an empty name", #"{"principals": [{"name": "", "grants": []}]}"#, words: "1 to 255 bytes"),
        Refused(
            "a control character", #"{"principals": [{"name": "a\u0000b", "grants": []}]}"#,
            words: "no control characters"),
        Refused(
            "a typo", #"{"principals": [{"name": "a", "grants": [], "requestPerSecond": 5}]}"#,
            words: "principals[0].requestPerSecond is not known: line 1, column 45. Did you mean 'requestsPerSecond'?"),
        Refused(
            "a number for a name",
            "{\"principals\": [{\"name\": \"a\", \"grants\": []},\n {\"name\": 5, \"grants\": []}]}",
            words: "principals[1].name must be a text: line 2, column 3"),
        Refused(
            "no name", #"{"principals": [{"grants": []}]}"#,
            words: "\"principals[0].name\" is missing: line 1, column 17"),
        Refused("no list", #"{"principals": {}}"#, words: "principals must be a list: line 1, column 2"),
    ])
    func anInvalidPrincipalsFileIsRefusedWithTheReason(_ it: Refused) throws {
        let error = #expect(throws: SettingsError.self) { try PrincipalsFile.load(path: try file(it.text)) }
        #expect(error?.description.contains(it.words) == true, "\(error?.description ?? "no error")")
    }
}
