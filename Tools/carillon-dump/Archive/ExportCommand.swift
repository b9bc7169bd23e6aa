import ArgumentParser
import CarillonCommandLine
import CarillonCore
import CarillonRegistry

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes all devices, groups and topics of an app to a file that import reads.",
        discussion: """
            Examples:
              carillon-dump export game.jsonl --app com.example.game --data /var/lib/carillon
              carillon-dump export - --app com.example.game --data /var/lib/carillon | zstd > game.jsonl.zst

            What is in it: devices with ids, tokens, times, locale, time zone, attributes, mute, quarantine, the last silent \
            pushes, their groups and their own topics; what groups hold and whether they are muted; tombstones, so that a \
            stale registration stays stale. All of one moment: beside a server a copy is made first.

            What is not: messages, in flight or finished, their outcomes and receipts, idempotency keys and events. A \
            message that is in flight ends where it began: let it finish, or cancel it, before an app moves. A backup has \
            all of that.

            Tokens are whole, so the file is for its owner alone (mode 0600). The lines are JSON; the last one has the \
            SHA-256 of all between it and the first, which for equal contents is equal.
            """
    )

    @Argument(help: ArgumentHelp("Where the export goes; - is standard output.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID

    @OptionGroup var source: StoredOptions

    func run() throws {
        let output = try OutputFile(path: file)
        let start = ContinuousClock.now
        let registry = try source.openSnapshot()
        defer { registry.close() }
        let counts = try export(registry, to: output)
        Terminal.complain("exported  \(counts.text) in \(Timestamp.length(start.milliseconds)); tokens are whole")
    }

    private func export(_ registry: LMDBRegistry, to output: OutputFile) throws(Failure) -> ArchiveCounts {
        guard let next = try reading(source.data, { () throws(RegistryError) in try registry.nextDevice(of: app) })
        else {
            throw .refused("there is no app \(app) in \(source.data)")
        }
        let path = source.data
        let counts = try reading(path) { () throws(RegistryError) in try registry.archiveCounts(of: app) }
        let header = ArchiveHeader(app: app, next: next, counts: counts, at: .now)
        var writer = try ArchiveWriter(header, to: output)
        var progress = RowProgress("exported", of: counts.total)
        var group: GroupName?
        repeat {
            let page = try reading(path) { () throws(RegistryError) in
                try registry.archivedGroups(of: app, after: group, limit: 4_096)
            }
            for row in page.rows { try writer.append(.group(row)) }
            progress.advance(by: page.rows.count)
            group = page.last
        } while group != nil
        var device: DeviceID?
        repeat {
            let rows = try reading(path) { () throws(RegistryError) in
                try registry.archivedDevices(of: app, after: device, limit: 4_096)
            }
            for row in rows { try writer.append(.device(row)) }
            progress.advance(by: rows.count)
            device = rows.last?.device.id
        } while device != nil
        var address: DeviceAddress?
        repeat {
            let rows = try reading(path) { () throws(RegistryError) in
                try registry.archivedTombstones(of: app, after: address, limit: 4_096)
            }
            for row in rows { try writer.append(.tombstone(row)) }
            progress.advance(by: rows.count)
            address = rows.last?.address
        } while address != nil
        progress.end()
        try writer.finish()
        return counts
    }
}

extension ArchiveCounts {
    /// The rows for people.
    var text: String {
        [
            Int(clamping: devices).devices, Int(clamping: groups).counted("group") + " with topics",
            Int(clamping: tombstones).counted("tombstone"),
        ].joined(separator: ", ")
    }
}
