import ArgumentParser

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
