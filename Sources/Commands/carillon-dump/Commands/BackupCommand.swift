import ArgumentParser
import CarillonCommandLine
import CarillonCore
import CarillonRegistry

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Writes a verified copy of everything to another directory, also while a server runs.",
        discussion: """
            Examples:
              carillon-dump backup /backup/$(date +%F) --data /var/lib/carillon

            The backup is of one moment, with unfinished messages, outcomes, receipts, idempotency keys and events, \
            but without free pages. The directory must be missing or empty, and the one above it must exist; data.mdb \
            appears in it only when all is on the disk and verified. It has complete tokens (mode 0600).
            """
    )

    @Argument(help: ArgumentHelp("The directory of the backup.", valueName: "directory"))
    var backup: String

    @Option(help: ArgumentHelp("The data directory, as in data.path of carillond.", valueName: "directory"))
    var data: String

    func run() throws {
        let start = ContinuousClock.now
        let live = try DataDirectory(path: data).open()
        defer { live.close() }
        let bytes = try DataDirectory(path: backup).fill(mustBeEmpty: true) { staging, _ throws(CommandError) in
            try staging.checkRoom(for: live)
            StandardError.showProgress("copying")
            try translateErrors(at: data) { () throws(RegistryError) in
                try live.copy(to: staging.path, compacting: true)
            }
        }
        StandardError.clearProgress()
        let size = StatsCommand.sizeText(Int(clamping: bytes))
        StandardOutput.printLine(
            "backed up and verified  \(size) in \(TimeSpan(milliseconds: start.millisecondsUntilNow).text)")
    }
}
