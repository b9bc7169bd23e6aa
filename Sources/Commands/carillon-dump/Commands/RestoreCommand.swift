import ArgumentParser
import CarillonCommandLine
import CarillonCore
import CarillonRegistry

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Makes a data directory from a backup.",
        discussion: """
            Examples:
              carillon-dump restore /backup/2026-07-01 /var/lib/carillon

            The data directory must be missing or empty, and no server may use it: restore never overwrites data. The \
            backup and the result are verified. The result has a new epoch, so that clients know that their history is \
            lost (Protocol 6.1). A message that was unfinished at the time of the backup continues when a server \
            starts: devices that have received it since then receive it again.
            """
    )

    @Argument(help: ArgumentHelp("The backup.", valueName: "backup"))
    var backup: String

    @Argument(help: ArgumentHelp("The data directory to make.", valueName: "data"))
    var data: String

    func run() throws {
        let start = ContinuousClock.now
        let stored = try DataDirectory(path: backup).open()
        defer { stored.close() }
        let findings = try translateErrors(at: backup) { () throws(RegistryError) in try stored.verifyFile() }
        if let first = findings.first {
            throw CommandError.refused(
                "the backup does not verify, \(findings.count) findings: \(first.sentence(AppNames(stored)))")
        }
        let bytes = try DataDirectory(path: data).fill(mustBeEmpty: true) { staging, _ throws(CommandError) in
            try staging.checkRoom(for: stored)
            StandardError.showProgress("copying")
            try translateErrors(at: backup) { () throws(RegistryError) in
                try stored.copy(to: staging.path, compacting: true)
            }
            try translateErrors(at: data) { () throws(RegistryError) in
                try RegistryBuilder(path: staging.path).renewEpoch()
            }
        }
        StandardError.clearProgress()
        let size = StatsCommand.sizeText(Int(clamping: bytes))
        StandardOutput.printLine(
            "restored and verified  \(size) in \(TimeSpan(milliseconds: start.millisecondsUntilNow).text)")
    }
}
