import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonVersion
import Glibc

@main
struct CarillonLoad: AsyncParsableCommand {
    /// The name and version, for the server's log and for results.
    static let software = "carillon-load/\(Version.number)"

    /// The exit status if a condition of `--fail-if` holds, or if no rate holds the limits of a search.
    static let limitExceeded = ExitCode(4)

    static let configuration = CommandConfiguration(
        commandName: "carillon-load",
        abstract: "Tests a Carillon server under load and measures throughput and latency.",
        discussion: """
            carillon-load run --own --rate 2000 --report run.html
            carillon-load run --server push.internal:7474 --ca ca.pem --app com.example.game \\
              --connections 8 --depth 32 --mix lookup=90,register=10
            carillon-load search --own --limit 'lookup.p99_ms < 10'
            carillon-load compare before.json after.json --report compare.html

            Exit status:
              0  done; the results may still be bad
              1  the load could not be generated, or no request was answered
              2  the arguments are wrong, or a file cannot be used
              3  server not reachable
              4  a condition of --fail-if holds; search: no rate holds the limits
            """,
        version: Version.line("carillon-load"),
        subcommands: [RunCommand.self, SearchCommand.self, CompareCommand.self, ReportCommand.self],
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
        } catch let unknown as UnknownWordError {
            StandardError.printLine("Error: \(unknown)")
            Glibc.exit(2)
        } catch let problem as LoadTestError {
            StandardError.printLine("carillon-load: \(problem)")
            Glibc.exit(1)
        } catch let error as CarillonError {
            show(error)
            Glibc.exit(ExitStatus(error).rawValue)
        } catch {
            let code = exitCode(for: error)
            let message = fullMessage(for: error)
            if code.isSuccess {
                StandardOutput.printLine(text(for: error))
            } else if !message.isEmpty {
                StandardError.printLine(message)
            }
            Glibc.exit(code == .validationFailure ? ExitStatus.usage.rawValue : code.rawValue)
        }
    }

    /// Shows an error of the client as `carillon` does.
    private static func show(_ error: CarillonError) {
        // Why try?: an empty list of arguments is always valid.
        (try? ServerOptions.parse([]))?.show(error)
    }
}
