package import ArgumentParser
import Glibc

/// The main function of a program with a command line.
extension AsyncParsableCommand {
    /// Runs the command line of the process, or prints the help that it asks for. It is the main function of a program
    /// whose errors need no exit status of their own. Wrong arguments have exit status 2, as in every program of
    /// Carillon.
    package static func runProgram() async {
        do {
            var command = try parsed()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                // The command that prints the help: `--help` and `help`.
                try command.run()
            }
        } catch let unknown as UnknownWordError {
            exit(withWrongArguments: "Error: \(unknown)")
        } catch {
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            exit(withWrongArguments: fullMessage(for: error))
        }
    }

    private static func exit(withWrongArguments message: String) -> Never {
        var text = message + "\n"
        text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
        Glibc.exit(2)
    }
}
