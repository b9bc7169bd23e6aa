import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import Glibc

/// The command `carillon-load`.
@main
struct CarillonLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "carillon-load",
        abstract: "Tests a Carillon server under load and measures throughput and latency.",
        discussion: """
            carillon-load run --own --rate 2000 --report run.html
            carillon-load run --server push.internal:7474 --ca ca.pem --app com.example.game \\
              --connections 8 --depth 32 --mix lookup=70,send-token=20,register=10
            carillon-load compare before.json after.json --report compare.html

            Exit status:
              0  done; the results may still be bad
              1  the load could not be generated, or no request was answered
              2  the arguments are wrong
            """,
        version: "carillon-load 1.0.0",
        subcommands: [RunCommand.self, CompareCommand.self, ReportCommand.self],
        defaultSubcommand: RunCommand.self
    )

    static func main() async {
        // If the reader of a pipe ends, the write fails; the signal must not end the program.
        signal(SIGPIPE, SIG_IGN)
        do {
            let command = try parsed()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                var command = command
                try command.run()
            }
        } catch let unknown as UnknownWord {
            Terminal.printError("Error: \(unknown)")
            Glibc.exit(2)
        } catch let problem as LoadFailure {
            Terminal.printError("carillon-load: \(problem)")
            Glibc.exit(1)
        } catch let error as CarillonError {
            Terminal.printError("carillon-load: \(error)")
            Glibc.exit(1)
        } catch {
            let code = exitCode(for: error)
            if code.isSuccess {
                Terminal.printLine(text(for: error))
            } else {
                Terminal.printError(fullMessage(for: error))
            }
            Glibc.exit(code.isSuccess ? 0 : code == .validationFailure ? 2 : 1)
        }
    }
}
