import ArgumentParser
import CarillonCommandLine
import CarillonCore
import CarillonRegistry

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Checks the consistency of all stored data.",
        discussion: """
            Examples:
              carillon-dump verify --data /var/lib/carillon
              carillon-dump verify --data /backup/2026-07-01 --json

            It checks, for example, that every page of the file is used once or free, that the token index and the \
            devices match, that every set has exactly the devices that its sources give, that counts match their rows, \
            that outcomes add up, and that everything with a retention time has an entry for it. Each finding is a \
            line; the exit status is 1 if there is one, and 6 if a page, a row or the write-ahead log is corrupt. If a \
            server is running, a copy is checked, without the log.
            """
    )

    @OptionGroup var source: DataDirectoryOptions

    @Option(help: ArgumentHelp("The most findings to show; the others are counted.", valueName: "count"))
    var limit = 100

    @Flag(help: "Prints findings as JSON, one object a line, and last an object with their number.")
    var json = false

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit is at least 0.") }
    }

    func run() throws {
        let registry = try source.openSnapshot()
        defer { registry.close() }
        let findings = try translateErrors(at: source.data) { () throws(RegistryError) in try registry.verifyFile() }
        let apps = AppNames(registry)
        for finding in findings.prefix(limit) {
            let sentence = finding.sentence(apps)
            StandardOutput.printLine(
                json ? JSON.members(["finding": .text(finding.kind), "what": .text(sentence)]).line : sentence)
        }
        if json {
            StandardOutput.printLine(JSON.members(["findings": .number(UInt64(findings.count))]).line)
        } else if findings.count > limit {
            StandardOutput.printLine("and \((findings.count - limit).grouped) more")
        }
        guard findings.isEmpty else { throw ExitStatus.refused }
        guard !json else { return }
        let statistics = try translateErrors(at: source.data) { () throws(RegistryError) in
            try registry.registryStatistics(largest: 0)
        }
        StandardOutput.printLine(
            "sound  \(statistics.rows("devices").devices), \(statistics.rows("sets").counted("set")), "
                + "\(statistics.rows("progress").messages), \(statistics.rows("events").counted("event"))")
    }
}
