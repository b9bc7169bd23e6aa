import ArgumentParser
import CarillonClient
import CarillonCommandLine
import Testing

/// The app that a command is about.
struct AppOptionTests {
    private func app(_ arguments: [String] = [], _ environment: [String: String]) throws -> String {
        try ServerOptions.parse([]).app(AppOption.parse(arguments), environment: environment).name
    }

    @Test func `the app comes from the option or the environment`() throws {
        let variable = ["CARILLON_APP": "com.example.shop"]
        #expect(try app(["--app", "com.example.game"], variable) == "com.example.game")
        #expect(try app([], variable) == "com.example.shop")
    }

    @Test func `a missing app is refused with the ways to name it`() {
        let error = #expect(throws: CommandError.self) { try app([], ["CARILLON_APP": "", "HOME": "/nonexistent"]) }
        #expect(error?.message.hasPrefix("the app is missing: --app BUNDLE-ID, or CARILLON_APP") == true)
    }

    @Test func `an invalid app of the environment is refused by the name of the variable`() {
        let error = #expect(throws: CommandError.self) { try app([], ["CARILLON_APP": "a b"]) }
        #expect(error?.message.hasPrefix("CARILLON_APP is 'a b': a bundle id has") == true)
    }
}
