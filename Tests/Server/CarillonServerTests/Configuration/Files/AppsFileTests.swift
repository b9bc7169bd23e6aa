import CarillonCore
import CarillonTestKit
import Foundation
import Testing

@testable import CarillonServer

/// The file of apps and credentials: the pools that it leads to, and the reasons for which it is refused.
struct AppsFileTests {
    private let directory = TemporaryDirectory()

    private func file(_ text: String) throws -> String { try directory.write(text, to: "\(UUID()).json") }

    @Test func `an app goes to the pool of its credential`() throws {
        let path = try file(
            """
            {"credentials": {"main": {"teamID": "ABCDE12345", "keyID": "KEY1234567", "keyFile": "key.p8"}},
             "apps": {"com.example.game": {"production": "main"}, "com.example.chat": {}}}
            """)
        let routes = try AppsFile.load(path: path).routes
        let game = try #require(AppID("com.example.game"))
        let chat = try #require(AppID("com.example.chat"))
        #expect(
            routes.pool(for: game, at: .apnsProduction) == PoolKey(destination: .apnsProduction, credential: "main"))
        #expect(routes.pool(for: game, at: .apnsSandbox) == nil)
        #expect(routes.serves(chat))
        #expect(routes.pool(for: chat, at: .apnsProduction) == nil)
    }

    @Test func `an app has a pool for each provider that its entry names`() throws {
        let path = try file(
            """
            {"credentials": {"main": {"teamID": "ABCDE12345", "keyID": "KEY1234567", "keyFile": "key.p8"},
                             "firebase": {"serviceAccountFile": "game.json", "messagesPerMinute": 6000}},
             "apps": {"com.example.game": {"production": "main", "fcm": "firebase"}}}
            """)
        let routes = try AppsFile.load(path: path).routes
        let game = try #require(AppID("com.example.game"))
        let pool = try #require(routes.pool(for: game, at: .fcm))
        #expect(pool.description == "firebase/production")
        #expect(routes.apps(of: pool) == [game])
        #expect(routes.all.count == 2)
        #expect(routes.pool(for: game, at: .web) == nil)
    }

    /// Returns a file with one credential `m` and one app.
    private static func apps(_ why: String, credential: String, app: String = "{}", words: String) -> RefusedFile {
        RefusedFile(why, text: #"{"credentials": {"m": \#(credential)}, "apps": {"a.b": \#(app)}}"#, words: words)
    }

    private func expectRefusal(_ refused: RefusedFile) throws {
        let path = try file(refused.text)
        let error = #expect(throws: SettingsError.self) { try AppsFile.load(path: path) }
        #expect(error?.description.contains(refused.words) == true, "\(error?.description ?? "no error")")
        #expect(error?.place.hasPrefix(path) == true)
    }

    @Test(arguments: [
        RefusedFile("no app", text: #"{"credentials": {}, "apps": {}}"#, words: "names no app"),
        RefusedFile("no apps", text: #"{"credentials": {}}"#, words: "\"apps\" is missing"),
        RefusedFile(
            "an unknown credential",
            text: #"{"credentials": {}, "apps": {"com.example.game": {"production": "main"}}}"#,
            words: "which does not exist"),
        RefusedFile(
            "a space in an app", text: #"{"credentials": {}, "apps": {"com example": {}}}"#, words: "is not a bundle id"
        ),
        RefusedFile(
            "a typo", text: "{\"credentials\": {},\n \"aps\": {}}",
            words: "aps is not known: line 2, column 2. Did you mean 'apps'?"),
        RefusedFile(
            "a typo in a credential", text: #"{"credentials": {"m": {"keyfile": "f"}}, "apps": {}}"#,
            words: "credentials.m.keyfile is not known: line 1"),
        RefusedFile(
            "an unknown environment", text: #"{"credentials": {}, "apps": {"a.b": {"xyz": "m"}}}"#,
            words: "There are fcm, managementTopic, production, sandbox, web."),
        RefusedFile(
            "a number for a credential", text: #"{"credentials": {"m": 7}, "apps": {}}"#,
            words: "credentials.m must be an object: line 1, column 18"),
        RefusedFile("a text", text: "not JSON", words: "is not JSON"),
    ])
    func `an invalid apps file is refused with the reason`(_ refused: RefusedFile) throws { try expectRefusal(refused) }

    @Test(arguments: [
        apps(
            "a short team id", credential: #"{"teamID": "A", "keyID": "KEY1234567", "keyFile": "k"}"#,
            words: "teamID must be"),
        apps("no key", credential: #"{"teamID": "ABCDE12345"}"#, words: "needs one of keyFile"),
        apps(
            "two kinds of key", credential: #"{"serviceAccountFile": "f", "certificateFile": "c"}"#,
            words: "needs one of keyFile"),
        apps(
            "no contact", credential: #"{"vapidKeyFile": "v"}"#, app: #"{"web": "m"}"#,
            words: "subject must be a mailto: or https: URI"),
        apps(
            "a local contact", credential: #"{"vapidKeyFile": "v", "subject": "mailto:a@localhost"}"#,
            words: "subject must be a mailto: or https: URI"),
        apps(
            "a quota for a certificate", credential: #"{"certificateFile": "c", "messagesPerMinute": 600}"#,
            words: "messagesPerMinute is for a service account"),
        apps(
            "a quota below one a second", credential: #"{"serviceAccountFile": "f", "messagesPerMinute": 59}"#,
            words: "messagesPerMinute must be at least 60"),
        apps(
            "a negative quota", credential: #"{"serviceAccountFile": "f", "messagesPerMinute": -1}"#,
            words: "a number is negative, too large or not whole"),
    ])
    func `an invalid credential is refused with the reason`(_ refused: RefusedFile) throws {
        try expectRefusal(refused)
    }

    @Test(arguments: [
        apps(
            "a service account for APNs", credential: #"{"serviceAccountFile": "f"}"#, app: #"{"production": "m"}"#,
            words: "one of another provider"),
        apps(
            "a certificate for FCM", credential: #"{"certificateFile": "c"}"#, app: #"{"fcm": "m"}"#,
            words: "one of another provider"),
        apps(
            "a VAPID key for FCM", credential: #"{"vapidKeyFile": "v", "subject": "mailto:a@b.example"}"#,
            app: #"{"fcm": "m"}"#, words: "one of another provider"),
    ])
    func `a credential of another provider is refused`(_ refused: RefusedFile) throws { try expectRefusal(refused) }
}
