import ArgumentParser
import CarillonCommandLine
import CarillonVersion
import Glibc

@main
struct CarillonDump: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "carillon-dump",
        abstract: "Inspects, verifies, backs up, exports and imports Carillon's data.",
        discussion: """
            With --data it reads a data directory, whether a server uses it or not. It changes no data there: it uses \
            the lock files, and without a server it first runs the same crash recovery as a server start. Only \
            restore, import and log --cut write data, and only if no server uses the directory. Run by root, it works \
            in a directory with the rights of the directory's owner. Without --data it asks a server (--server); \
            devices and statistics need a key with the role admin.

              carillon-dump stats --data /var/lib/carillon
              carillon-dump devices --data /var/lib/carillon --platform ios --csv
              carillon-dump backup /backup/2026-07-01 --data /var/lib/carillon
              carillon-dump verify --data /var/lib/carillon
              carillon-dump stats --server push.internal:7474

            If a server is running: a long read makes the server's file grow, because the pages that it sees cannot be \
            reused. So show and the listings read in pages, each from the newest state; stats counts in one read \
            (about a second with a million groups); verify and export first make a copy (some seconds, beside the data \
            directory or in --work), which has no name and is removed when they end.

            \(ExitStatus.explanation)
            """,
        version: Version.line("carillon-dump"),
        groupedSubcommands: [
            CommandGroup(name: "Inspect", subcommands: [StatsCommand.self, ShowCommand.self]),
            CommandGroup(
                name: "List",
                subcommands: [
                    DevicesCommand.self, GroupsCommand.self, TopicsCommand.self, MessagesCommand.self,
                    QuarantineCommand.self,
                ]),
            CommandGroup(
                name: "Verify and copy",
                subcommands: [
                    VerifyCommand.self, BackupCommand.self, RestoreCommand.self, ExportCommand.self,
                    ImportAppsCommand.self, WriteAheadLogCommand.self,
                ]),
        ]
    )

    static func main() async {
        // Every file that is made has complete tokens, or says where they are: only its owner may read it. LMDB makes a
        // copy with the rights that this mask leaves.
        umask(0o077)
        await Program.main(Self.self)
    }
}

extension ExitStatus {
    /// The paragraph about exit statuses in `--help`.
    static let explanation = """
        Exit status:
          0  done
          1  verify has findings; or refused by the server, or not found
          2  the arguments are wrong, or a file or directory cannot be used
          3  server not reachable, or no answer in time
          5  interrupted
          6  stored data is corrupt
        """
}
