import ArgumentParser
import CarillonClient
import CarillonCommandLine
import Testing

/// The app that a command is about.
struct AppOptionTests {
    @Test func theAppComesFromTheOptionOrTheEnvironment() throws {
        func found(_ arguments: [String], _ environment: [String: String]) throws -> String {
            try ServerOptions.parse([]).app(AppOption.parse(arguments), environment: environment).name
        }
        let variable = ["CARILLON_APP": "com.example.shop"]
        #expect(try found(["--app", "com.example.game"], variable) == "com.example.game")
        #expect(try found([], variable) == "com.example.shop")
        let missing = #expect(throws: CommandError.self) {
            try found([], ["CARILLON_APP": "", "HOME": "/nonexistent"])
        }
        #expect(missing?.message.hasPrefix("the app is missing: --app BUNDLE-ID, or CARILLON_APP") == true)
        let wrong = #expect(throws: CommandError.self) { try found([], ["CARILLON_APP": "a b"]) }
        #expect(wrong?.message.hasPrefix("CARILLON_APP is 'a b': a bundle id has") == true)
    }
}
