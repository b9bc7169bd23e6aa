import ArgumentParser
import CarillonCommandLine
import CarillonCore
import CarillonRegistry
import Foundation

struct ImportAppsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Imports exported apps into a data directory that no server uses.",
        discussion: """
            Examples:
              carillon-dump import game.jsonl --data /var/lib/carillon
              carillon-dump import game.jsonl shop.jsonl --data /var/lib/carillon

            The directory is created if it is missing. If it has data, the data stays and the apps are added; none of \
            them may exist there already. Devices keep their ids, so that an export of the result has the same rows. \
            Each file is read to its end and its checksum verified before anything is written. The result is made in a \
            staging directory, verified, and replaces the old database atomically.
            """
    )

    @Argument(help: ArgumentHelp("Exports, one for each app.", valueName: "file"))
    var files: [String]

    @Option(help: ArgumentHelp("The data directory, as in data.path of carillond.", valueName: "directory"))
    var data: String

    func validate() throws {
        guard !files.isEmpty else { throw ValidationError("The files are missing.") }
    }

    func run() throws {
        let start = ContinuousClock.now
        let directory = DataDirectory(path: data)
        guard try !directory.isInUse() else { throw CommandError.unusable("a server uses \(data): stop it first") }
        // The files are opened once, with the rights of the user: they need not be readable by the owner of the
        // directory.
        let inputs = try files.map { path in Input(path: path, file: try InputFile.open(path)) }
        try checkApps(of: inputs, in: directory)
        var total = ArchiveCounts()
        for input in inputs { try check(input, addingTo: &total) }
        _ = try directory.fill(mustBeEmpty: false) { staging, lock throws(CommandError) in
            try copyExistingData(of: directory, lock: lock, into: staging)
            let builder = try translateErrors(at: data) { () throws(RegistryError) in
                try RegistryBuilder(path: staging.path)
            }
            for input in inputs { try insert(input, into: builder) }
        }
        StandardOutput.printLine(
            "imported and verified  \(total.text) in \(TimeSpan(milliseconds: start.millisecondsUntilNow).text)")
    }

    /// An open export.
    private struct Input {
        var path: String
        var file: FileHandle

        /// Returns a reader of the export from its beginning.
        func reader() throws(CommandError) -> ArchiveReader { try ArchiveReader(path: path, file: file) }
    }

    /// Refuses a file whose app is stored already, or is in another file. Reads only the first lines of the files.
    private func checkApps(of inputs: [Input], in directory: DataDirectory) throws(CommandError) {
        var apps: Set<AppID> = []
        if access(directory.path, F_OK) == 0, try directory.names().contains("data.mdb") {
            let registry = try directory.open()
            defer { registry.close() }
            apps = Set(try translateErrors(at: data) { () throws(RegistryError) in try registry.apps() })
        }
        for input in inputs {
            let app = try input.reader().header.app
            guard apps.insert(app).inserted else { throw alreadyStored(app, in: input.path) }
        }
    }

    private func alreadyStored(_ app: AppID, in file: String) -> CommandError {
        .refused("\(data) has the app \(app) already; \(file) cannot be imported")
    }

    /// Reads a file to its end and verifies its checksum.
    private func check(_ input: Input, addingTo total: inout ArchiveCounts) throws(CommandError) {
        var reader = try input.reader()
        var progress = RowProgress("checked", of: reader.header.counts.total)
        while try reader.next() != nil { progress.advance(by: 1) }
        progress.end()
        total.groups += reader.readCounts.groups
        total.devices += reader.readCounts.devices
        total.tombstones += reader.readCounts.tombstones
    }

    /// Copies the existing data into the staging directory, with the changes that a killed server has left in the
    /// write-ahead log.
    private func copyExistingData(
        of directory: DataDirectory, lock: DirectoryLock, into staging: StagingDirectory
    ) throws(CommandError) {
        guard try directory.names().contains("data.mdb") else { return }
        let old = try directory.open(lock: lock)
        defer { old.close() }
        try staging.checkRoom(for: old)
        try translateErrors(at: data) { () throws(RegistryError) in try old.copy(to: staging.path, compacting: true) }
    }

    private func insert(_ input: Input, into builder: RegistryBuilder) throws(CommandError) {
        let file = input.path
        var reader = try input.reader()
        let header = reader.header
        let isNew = try insertRows(of: file) { () throws(RegistryError) in
            try builder.add(header.app, next: header.nextDevice)
        }
        guard isNew else { throw alreadyStored(header.app, in: file) }
        var progress = RowProgress("imported", of: header.counts.total)
        var batch = Batch()
        while let row = try reader.next() {
            if !batch.accepts(row) { try batch.write(of: header.app, into: builder, file: file) }
            batch.append(row)
            progress.advance(by: 1)
        }
        try batch.write(of: header.app, into: builder, file: file)
        progress.end()
    }

    /// A batch of rows of one kind that are committed together.
    private struct Batch {
        private var groups: [ArchivedGroup] = []
        private var devices: [ArchivedDevice] = []
        private var tombstones: [ArchivedTombstone] = []
        private var nameCount = 0

        func accepts(_ row: ArchiveRow) -> Bool {
            guard groups.count + devices.count + tombstones.count < 10_000, nameCount < 100_000 else { return false }
            return switch row {
            case .group: devices.isEmpty && tombstones.isEmpty
            case .device: groups.isEmpty && tombstones.isEmpty
            case .tombstone: groups.isEmpty && devices.isEmpty
            }
        }

        mutating func append(_ row: ArchiveRow) {
            switch row {
            case .group(let row):
                groups.append(row)
                nameCount += row.topics.count
            case .device(let row):
                devices.append(row)
                nameCount += row.groups.count + row.topics.count
            case .tombstone(let row): tombstones.append(row)
            }
        }

        mutating func write(of app: AppID, into builder: RegistryBuilder, file: String) throws(CommandError) {
            let batch = self
            try insertRows(of: file) { () throws(RegistryError) in
                if !batch.groups.isEmpty { try builder.add(batch.groups, to: app) }
                if !batch.devices.isEmpty { try builder.add(batch.devices, to: app) }
                if !batch.tombstones.isEmpty { try builder.add(batch.tombstones, to: app) }
            }
            self = Batch()
        }
    }
}

/// Runs `body`, which inserts rows of a file, and turns an error of the registry into an error of the command.
private func insertRows<Answer>(
    of file: String, _ body: () throws(RegistryError) -> Answer
) throws(CommandError) -> Answer {
    do throws(RegistryError) {
        return try body()
    } catch {
        throw .refused("\(file) cannot be imported: \(error.reason)")
    }
}
