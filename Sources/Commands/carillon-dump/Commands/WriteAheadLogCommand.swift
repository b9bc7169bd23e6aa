import ArgumentParser
import CarillonCommandLine
import CarillonCore
import CarillonRegistry

struct WriteAheadLogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Shows the write-ahead log of a server that is stopped, and cuts a damaged one.",
        discussion: """
            Examples:
              carillon-dump log --data /var/lib/carillon
              carillon-dump log --cut --data /var/lib/carillon

            The file data.wal has changes that were answered and that data.mdb may lack after a crash. The next start \
            applies them. If the log is damaged, or does not fit data.mdb, the server refuses to start: without these \
            changes later ones would be applied to the wrong state. The first choice is to put the right files back, \
            or to restore a backup.

            With --cut the log ends before the first record that cannot be applied. What is behind it is lost; the \
            output says how much. The file as it was stays beside it as data.wal.damaged; it contains tokens. If the \
            log is missing or belongs to another registry, nothing says whether the newest checkpoint of data.mdb is \
            whole: then it is given up as well, and data.mdb is verified. The exit status is 6 if the log is damaged \
            and --cut is not given.
            """
    )

    @Option(help: ArgumentHelp("The data directory, as in data.path of carillond.", valueName: "directory"))
    var data: String

    @Flag(help: "Ends a damaged log before the first record that cannot be applied. Answered changes are lost.")
    var cut = false

    @Flag(help: "Prints the log as a JSON object.")
    var json = false

    func run() throws {
        let directory = DataDirectory(path: data)
        guard try !directory.isInUse() else { throw CommandError.unusable("a server uses \(data): stop it first") }
        try ProcessUser.runAsOwner(of: data) { () throws(CommandError) in try show(directory) }
    }

    private func show(_ directory: DataDirectory) throws(CommandError) {
        try directory.check()
        let report = try translateErrors(at: data) { () throws(RegistryError) in try WALReport(at: data) }
        report.table.show(isJSON: json)
        guard let damage = report.damage else { return }
        guard cut else { throw CommandError.damaged("\(damage). \(report.advice ?? "")") }
        let cut = try translateErrors(at: data) { () throws(RegistryError) in try WALCutter(at: data).cut() }
        StandardError.printLine(cut?.keptPath.map { "cut; the file as it was is \($0)" } ?? "cut; there was no file")
        if cut?.hasDroppedCommit == true {
            StandardError.printLine("the newest checkpoint of data.mdb was given up: it may not have been whole")
        }
    }
}

extension WALReport {
    fileprivate var table: PropertyTable {
        var table = PropertyTable()
        let form = version.map { "version \($0)" } ?? (byteCount == 0 ? "none" : "unreadable")
        table.add(
            "log", text: byteCount == 0 ? form : "\(form), \(StatsCommand.sizeText(byteCount))", key: "version",
            json: version.map { .number(UInt64($0)) })
        table.add(
            "stored", text: storedLSN == 0 ? "no record" : "up to record \(storedLSN)", key: "stored",
            json: .number(storedLSN))
        let range = recordCount == 0 ? "" : ", \(storedLSN + 1) to \(lastLSN), with \(changeCount.counted("change"))"
        table.add(
            "to apply", text: recordCount.counted("record") + range, key: "records", json: .number(UInt64(recordCount)))
        table.add("", text: nil, key: "changes", json: .number(UInt64(changeCount)))
        table.add("", text: nil, key: "last", json: .number(lastLSN))
        if isTorn {
            table.add(
                "cut off", text: "record \(lastLSN + 1), which was not answered", key: "cut_off",
                json: .number(lastLSN + 1))
        }
        table.add("", text: nil, key: "damage", json: damage.map { .text($0) })
        if let lostLSNs {
            table.add(
                "lost", text: "the records \(lostLSNs.lowerBound) to \(lostLSNs.upperBound)", key: "lost",
                json: .list([.number(lostLSNs.lowerBound), .number(lostLSNs.upperBound)]))
        }
        return table
    }
}
