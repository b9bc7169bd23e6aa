import ArgumentParser
import CarillonArguments
import CarillonClock
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

            The export has devices with ids, tokens, times, locale, time zone, attributes, mute, quarantine, the last \
            silent pushes, their groups and their own topics; the topics and the mute of groups; tombstones, so that a \
            stale registration stays stale. It is of one moment: if a server is running, a copy is made first.

            It does not have messages, unfinished or finished, outcomes, receipts, idempotency keys and events. An \
            unfinished message stays on the old server: let it finish, or cancel it, before an app moves. A backup has \
            all of these.

            Tokens are complete, so only the owner can read the file (mode 0600). The lines are JSON; the last one has \
            the SHA-256 of all lines between the first and the last, which is equal for equal contents.
            """
    )

    @Argument(help: ArgumentHelp("The file to write; - is standard output.", valueName: "file"))
    var file: String

    @OptionGroup var app: AppOption

    @OptionGroup var source: DataDirectoryOptions

    func run() throws {
        let app = try app.app ?? AppOption.standard(config: nil)
        let output = try OutputFile(path: file)
        let start = ContinuousClock.now
        let registry = try source.openSnapshot()
        defer { registry.close() }
        let counts = try export(app, of: registry, to: output)
        let duration = TimeSpan(milliseconds: start.millisecondsUntilNow).text
        StandardError.printLine("exported  \(counts.text) in \(duration); tokens are complete")
    }

    private func export(
        _ app: AppID, of registry: LMDBRegistry, to output: OutputFile
    ) throws(CommandError) -> ArchiveCounts {
        let path = source.data
        guard let next = try translateErrors(at: path, { () throws(RegistryError) in try registry.nextDevice(of: app) })
        else {
            throw .refused("there is no app \(app) in \(path)")
        }
        let counts = try translateErrors(at: path) { () throws(RegistryError) in try registry.archiveCounts(of: app) }
        let header = ArchiveHeader(app: app, nextDevice: next, counts: counts, exportedAt: Clock.wallTime())
        var writer = try ArchiveWriter(header, to: output)
        var progress = RowProgress("exported", of: counts.total)
        try write(to: &writer, progress: &progress) { (group: GroupName?) throws(RegistryError) in
            let page = try registry.archivedGroups(of: app, after: group, limit: Self.rowsPerPage)
            return (page.rows.map(ArchiveRow.group), page.last)
        }
        try write(to: &writer, progress: &progress) { (device: DeviceID?) throws(RegistryError) in
            let rows = try registry.archivedDevices(of: app, after: device, limit: Self.rowsPerPage)
            return (rows.map(ArchiveRow.device), rows.last?.device.id)
        }
        try write(to: &writer, progress: &progress) { (address: DeviceAddress?) throws(RegistryError) in
            let rows = try registry.archivedTombstones(of: app, after: address, limit: Self.rowsPerPage)
            return (rows.map(ArchiveRow.tombstone), rows.last?.address)
        }
        progress.end()
        try writer.finish()
        return counts
    }

    private static let rowsPerPage = 4_096

    /// Writes the rows of one kind, page by page.
    ///
    /// - Parameter page: reads the rows after a cursor, which is nil for the first page. It returns the cursor of the
    ///   next page; nil if there is none.
    private func write<Cursor>(
        to writer: inout ArchiveWriter, progress: inout RowProgress,
        _ page: (Cursor?) throws(RegistryError) -> (rows: [ArchiveRow], next: Cursor?)
    ) throws(CommandError) {
        var cursor: Cursor?
        repeat {
            let (rows, next) = try translateErrors(at: source.data) { () throws(RegistryError) in try page(cursor) }
            for row in rows { try writer.append(row) }
            progress.advance(by: rows.count)
            cursor = next
        } while cursor != nil
    }
}
