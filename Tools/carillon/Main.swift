import ArgumentParser
import CarillonCommandLine
import Foundation

/// The entry point: runs the command and turns failures into the exit statuses of `--help`.
@main
enum Main {
    static func main() async {
        // If the reader of a pipe ends, as in `carillon … | head`, the write fails; the signal must not end the
        // program.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try Carillon.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let status as ExitStatus {
            exit(status.rawValue)
        } catch {
            let text = Carillon.fullMessage(for: error)
            guard Carillon.exitCode(for: error).isSuccess else {
                Terminal.printError(text.replacing(/^Error:/, with: Terminal.errorStyle.apply(.bad, to: "Error:")))
                exit(ExitStatus.usage.rawValue)
            }
            Terminal.printLine(text)
        }
    }
}
