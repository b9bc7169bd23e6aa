import CarillonCore
import CarillonTestKit
import Foundation
import Testing

@testable import CarillonServer

/// The file of principals: whom a key or a certificate names, and the reasons for which the file is refused.
struct PrincipalsFileTests {
    private let directory = TemporaryDirectory()

    private func file(_ text: String) throws -> String { try directory.write(text, to: "\(UUID()).json") }

    @Test func `a key and a certificate name their principal`() throws {
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
        #expect(principal.name == "game")
        #expect(principal.requestsPerSecond == 7)
        #expect([Roles.register, .send, .observe].map { principal.mayUse(game, as: $0) } == [true, true, false])
        #expect(!principal.mayUse(chat, as: .send))
        #expect(principals.principal(for: ClientIdentity(key: Array((made.key + "x").utf8))) == nil)
        #expect(principals.principal(for: ClientIdentity(key: [])) == nil)
    }

    @Test(arguments: [
        RefusedFile("no principal", text: #"{"principals": []}"#, words: "names no principal"),
        RefusedFile(
            "an unknown role", text: #"{"principals": [{"name": "a", "grants": [{"app": "*", "roles": ["root"]}]}]}"#,
            words: "the role root is not one of"),
        RefusedFile(
            "a space in an app", text: #"{"principals": [{"name": "a", "grants": [{"app": "a b", "roles": []}]}]}"#,
            words: "a b is not a bundle id"),
        RefusedFile(
            "a short hash", text: #"{"principals": [{"name": "a", "keySHA256": ["abc"], "grants": []}]}"#,
            words: "64 hexadecimal digits"),
        RefusedFile(
            "a name twice", text: #"{"principals": [{"name": "a", "grants": []}, {"name": "a", "grants": []}]}"#,
            words: "is twice in the file"),
        RefusedFile("an empty name", text: #"{"principals": [{"name": "", "grants": []}]}"#, words: "1 to 255 bytes"),
        RefusedFile(
            "a control character", text: #"{"principals": [{"name": "a\u0000b", "grants": []}]}"#,
            words: "no control characters"),
        RefusedFile(
            "a typo", text: #"{"principals": [{"name": "a", "grants": [], "requestPerSecond": 5}]}"#,
            words: "principals[0].requestPerSecond is not known: line 1, column 45. Did you mean 'requestsPerSecond'?"),
        RefusedFile(
            "a number for a name",
            text: "{\"principals\": [{\"name\": \"a\", \"grants\": []},\n {\"name\": 5, \"grants\": []}]}",
            words: "principals[1].name must be a text: line 2, column 3"),
        RefusedFile(
            "no name", text: #"{"principals": [{"grants": []}]}"#,
            words: "\"principals[0].name\" is missing: line 1, column 17"),
        RefusedFile("no list", text: #"{"principals": {}}"#, words: "principals must be a list: line 1, column 2"),
    ])
    func `an invalid principals file is refused with the reason`(_ refused: RefusedFile) throws {
        let error = #expect(throws: SettingsError.self) { try PrincipalsFile.load(path: try file(refused.text)) }
        #expect(error?.description.contains(refused.words) == true, "\(error?.description ?? "no error")")
    }
}
