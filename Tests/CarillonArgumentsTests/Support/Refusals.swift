import ArgumentParser
import CarillonArguments
import Testing

@testable import carillon

let app = "com.example.game"

/// Returns the error of a command line, or the help that it asks for; nil for success.
func errorOrHelp(of arguments: [String]) -> String? {
    do {
        var command = try Carillon.parsed(arguments)
        guard !(command is any AsyncParsableCommand) else { return nil }
        try command.run()
        return nil
    } catch {
        return Carillon.text(for: error)
    }
}

/// Expects that a command line is refused with a text that contains these words.
func expectRefusal(of arguments: [String], with words: String) throws {
    let text = try #require(errorOrHelp(of: arguments), "\(arguments) is taken")
    #expect(text.contains(words), "\(text)")
}
