import ArgumentParser
import CarillonArguments

@testable import carillon

/// Returns the error of parsing a command line; nil for success.
func parsingError(of arguments: [String]) -> String? {
    do {
        _ = try Carillon.parseAsRoot(arguments)
        return nil
    } catch {
        return Carillon.message(for: error)
    }
}

/// Returns what the program prints for a command line that it refuses or that asks for help; nil for others.
func errorOrHelp(of arguments: [String]) -> String? {
    do {
        var command = try Carillon.parsed(arguments)
        // Only the parser's own command, which prints the help, is not asynchronous.
        if !(command is any AsyncParsableCommand) { try command.run() }
        return nil
    } catch {
        return Carillon.text(for: error)
    }
}
