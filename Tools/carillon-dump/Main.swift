import ArgumentParser
import CarillonCommandLine
import Foundation

/// The entry point: runs the command and turns failures into the exit statuses of `--help`.
@main
enum Main {
    static func main() async {
        // If the reader of a pipe ends, as in `carillon-dump … | head`, the write fails; the signal must not end the
        // program.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try CarillonDump.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let status as ExitStatus {
            exit(status.rawValue)
        } catch let failure as Failure {
            Terminal.printError("\(Terminal.program): \(failure.message)")
            exit(failure.status.rawValue)
        } catch {
            let text = CarillonDump.fullMessage(for: error)
            guard CarillonDump.exitCode(for: error).isSuccess else {
                Terminal.printError(text)
                exit(ExitStatus.usage.rawValue)
            }
            Terminal.printLine(text)
        }
    }
}
