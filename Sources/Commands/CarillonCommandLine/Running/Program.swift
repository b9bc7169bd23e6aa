package import ArgumentParser
import CarillonArguments
import Foundation

/// This program: its name, and its main function, which runs a command and turns errors into exit statuses.
package enum Program {
    /// The name of the program, for its error messages.
    package static let name =
        CommandLine.arguments.first.map {
            String($0[($0.lastIndex(of: "/").map($0.index(after:)) ?? $0.startIndex)...])
        } ?? "carillon"

    /// Parses the command line and runs the command. An error ends the process with one of the statuses that `--help`
    /// lists (`ExitStatus`).
    package static func main(_ root: (some AsyncParsableCommand).Type) async {
        // If the reader of a pipe ends, as in `carillon … | head`, the write fails; the signal must not end the
        // program before the terminal is in order.
        signal(SIGPIPE, SIG_IGN)
        do {
            try await run(try root.parsed())
        } catch let status as ExitStatus {
            exit(status.rawValue)
        } catch let failure as CommandError {
            StandardError.printLine("\(StandardError.errorPrefix) \(failure.message)")
            exit(failure.status.rawValue)
        } catch {
            let text = root.text(for: error)
            guard root.exitCode(for: error).isSuccess else {
                StandardError.printLine(text.replacing(/^Error:/, with: StandardError.colors.apply(.bad, to: "Error:")))
                exit(ExitStatus.usage.rawValue)
            }
            StandardOutput.printLine(text)
        }
    }

    private static func run(_ command: sending any ParsableCommand) async throws {
        do {
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                var command = command
                try command.run()
            }
        } catch let error as ValidationError {
            // The parser would add the usage of the whole program, which says nothing about a file or a setting.
            throw CommandError.unusable(error.message)
        }
    }
}
