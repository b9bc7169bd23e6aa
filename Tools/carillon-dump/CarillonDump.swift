import ArgumentParser
import CarillonCommandLine
import Foundation

/// The administrator's command line of Carillon.
struct CarillonDump: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "carillon-dump",
        abstract: "Looks into a Carillon's data, checks it, carries it away and brings it back.",
        discussion: """
            With --data it reads a data directory, whether a server uses it or not, and never writes to it; without, it asks \
            a server (--server), with a key of role admin for devices and statistics.

              carillon-dump stats --data /var/lib/carillon
              carillon-dump devices --data /var/lib/carillon --platform ios --csv
              carillon-dump backup /backup/2026-07-01 --data /var/lib/carillon
              carillon-dump verify --data /var/lib/carillon
              carillon-dump stats --server push.internal:7474

            How it reads beside a server: a read that lasts makes the server's file grow, because nothing that it sees can \
            be overwritten. So show and the listings read in pages, each from the newest state; stats counts in one read (a \
            second or so with a million groups); verify and export first make a copy (seconds, beside the data directory or \
            in --work), which has no name and is gone when they end.

            \(ExitStatus.explanation)
            """,
        version: "carillon-dump 1.0.0",
        groupedSubcommands: [
            CommandGroup(name: "Look", subcommands: [StatsCommand.self, ShowCommand.self]),
            CommandGroup(
                name: "List",
                subcommands: [
                    DevicesCommand.self, GroupsCommand.self, TopicsCommand.self, MessagesCommand.self,
                    QuarantineCommand.self,
                ]),
            CommandGroup(
                name: "Keep",
                subcommands: [
                    VerifyCommand.self, BackupCommand.self, RestoreCommand.self, ExportCommand.self, ImportCommand.self,
                ]),
        ]
    )
}

extension ExitStatus {
    /// The paragraph of `--help`.
    static let explanation = """
        Exit status:
          0  done
          1  verify: it found something; or refused by the server, or not there
          2  the command makes no sense, or a file or directory cannot be used
          3  server not reachable, or no answer in time
          5  interrupted
          6  what is stored cannot be read
        """
}

/// Starts the command; failures become the exit statuses that `--help` tells of.
@main
enum Main {
    static func main() async {
        // A reader that goes away, as in `carillon-dump … | head`, is an error of writing, not of the program.
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
            Terminal.complain("\(Terminal.program): \(failure.message)")
            exit(failure.status.rawValue)
        } catch {
            let text = CarillonDump.fullMessage(for: error)
            guard CarillonDump.exitCode(for: error).isSuccess else {
                Terminal.complain(text)
                exit(ExitStatus.usage.rawValue)
            }
            Terminal.say(text)
        }
    }
}
