import ArgumentParser
import CarillonCommandLine
import CarillonCore
import CarillonRegistry

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Checks everything that is stored against everything else.",
        discussion: """
            Examples:
              carillon-dump verify --data /var/lib/carillon
              carillon-dump verify --data /backup/2026-07-01 --json

            That every page of the file is in one place, that tokens and devices lead to each other, that no set holds a \
            device without a reason or lacks one, that counts are those of the rows, that outcomes add up, that whatever is \
            to go one day is noted, and so on. Each finding is a line; the exit status is 1 if there is one, and 6 if a \
            page or a row cannot be read at all. Beside a server it checks a copy.
            """
    )

    @OptionGroup var source: StoredOptions

    @Option(help: ArgumentHelp("Shows so many findings and counts the rest.", valueName: "count"))
    var limit = 100

    @Flag(help: "Findings as JSON, one object a line, and a last one with their number.")
    var json = false

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit is at least 0.") }
    }

    func run() throws {
        let registry = try source.openSnapshot()
        defer { registry.close() }
        let findings = try reading(source.data) { () throws(RegistryError) in try registry.verifyFile() }
        let apps = Apps(registry)
        for finding in findings.prefix(limit) {
            let sentence = finding.sentence(apps)
            Terminal.say(
                json ? JSON.members(["finding": .text(finding.kind), "what": .text(sentence)]).line : sentence)
        }
        if json {
            Terminal.say(JSON.members(["findings": .number(UInt64(findings.count))]).line)
        } else if findings.count > limit {
            Terminal.say("and \((findings.count - limit).grouped) more")
        }
        guard findings.isEmpty else { throw ExitStatus.refused }
        guard !json else { return }
        let survey = try reading(source.data) { () throws(RegistryError) in try registry.registryStatistics(largest: 0)
        }
        Terminal.say(
            "sound  \(survey.rows("devices").devices), \(survey.rows("sets").counted("set")), "
                + "\(survey.rows("progress").messages), \(survey.rows("events").counted("event"))")
    }
}

/// A data directory that is only read.
struct StoredOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The data directory, as in data.path of carillond.", valueName: "directory"))
    var data: String

    @Option(
        help: ArgumentHelp("Where a copy is made if a server is at work. Usually beside it.", valueName: "directory"))
    var work: String?

    /// What is stored at this moment.
    func openSnapshot() throws(Failure) -> LMDBRegistry { try DataDirectory(path: data).openSnapshot(work: work) }
}

extension Int {
    /// The number of devices for people.
    var devices: String { counted("device") }
    /// The number of messages for people.
    var messages: String { counted("message") }
    /// The number of things of that name, whose plural ends with an s.
    func counted(_ name: String) -> String { "\(grouped) \(name)\(self == 1 ? "" : "s")" }
}
