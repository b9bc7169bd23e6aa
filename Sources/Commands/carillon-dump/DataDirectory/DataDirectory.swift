import ArgumentParser
import CarillonCommandLine
import CarillonCore
import CarillonRegistry
import Foundation

/// A directory with a registry, or for one.
struct DataDirectory {
    let path: String

    var file: String { path + "/data.mdb" }

    /// Returns true if a server uses the directory now.
    func isInUse() throws(CommandError) -> Bool {
        try ProcessUser.runAsOwner(of: path) { () throws(CommandError) in DirectoryLock.isHeld(path: path) }
    }

    /// Opens the registry for reading, in place, after the same crash recovery as at a server start, unless a server is
    /// running.
    ///
    /// - Parameter lock: the lock of the directory, if the caller holds it.
    func open(lock: DirectoryLock? = nil) throws(CommandError) -> LMDBRegistry {
        try ProcessUser.runAsOwner(of: path) { () throws(CommandError) in
            try check()
            SignalHandlers.install()
            if lock != nil || !DirectoryLock.isHeld(path: path) {
                try recover(lock)
            } else {
                // The log has changes that the server has answered and that no checkpoint contains yet.
                let isSnapshotCurrent = try translateErrors(at: path) { () throws(RegistryError) in
                    try ServedLog(at: path).waitUntilStored()
                }
                if !isSnapshotCurrent {
                    StandardError.warn("the server's last answered changes may be missing: try again")
                }
            }
            return try translateErrors(at: path) { () throws(RegistryError) in try LMDBRegistry(reading: path) }
        }
    }

    /// Refuses a directory without a database that can be read.
    func check() throws(CommandError) {
        guard access(path, F_OK) == 0 else { throw .unusable("\(path) does not exist") }
        // `access` would judge by the rights that the program was started with.
        guard faccessat(AT_FDCWD, file, F_OK, AT_EACCESS) == 0 else {
            guard errno == ENOENT else { throw .system("cannot be read", file) }
            throw .unusable("\(path) has no database: data.mdb is missing")
        }
        guard faccessat(AT_FDCWD, file, R_OK, AT_EACCESS) == 0 else { throw .system("cannot be read", file) }
    }

    /// Runs the same crash recovery as a server start: replays the write-ahead log of a server that was killed, and
    /// migrates data of an older schema.
    private func recover(_ lock: DirectoryLock?) throws(CommandError) {
        let database = OfflineDatabase(at: path)
        guard try translateErrors(at: path, { () throws(RegistryError) in try database.needsRecovery() }) else {
            return
        }
        var options = LMDBRegistry.Options()
        options.createsDirectory = false
        // The server's limit is not known here; the logged changes were within it.
        options.maximumMapBytes = 1 << 44
        options.onUnreadable = { StandardError.printLine($0) }
        options.usesLog = false
        options.settings = nil
        try translateErrors(at: path) { () throws(RegistryError) in
            try LMDBRegistry(path: path, options: options, lock: lock).close()
        }
    }

    /// Opens a snapshot for long reads: the database in place if no server uses the directory, else a private copy.
    ///
    /// - Parameter parent: the directory for the copy; nil for the parent of the data directory.
    func openSnapshot(copyIn parent: String?) throws(CommandError) -> LMDBRegistry {
        guard try isInUse() else { return try open() }
        let live = try open()
        defer { live.close() }
        let parent = parent ?? URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent().path
        let copy = try StagingDirectory(in: parent)
        try copy.checkRoom(for: live)
        try translateErrors(at: path) { () throws(RegistryError) in try live.copy(to: copy.path, compacting: false) }
        let registry = try translateErrors(at: path) { () throws(RegistryError) in
            try LMDBRegistry(reading: copy.path)
        }
        // The open file no longer has a name, so it disappears with the process in every case.
        copy.remove()
        return registry
    }

    /// Creates the directory, accessible to its owner only, if it is missing. Returns true if it was missing.
    func createIfMissing() throws(CommandError) -> Bool {
        if mkdir(path, 0o700) == 0 { return true }
        let parent = URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent().path
        // A parent that is made silently could be on the wrong disk, if the right one is not mounted.
        if errno == ENOENT { throw .unusable("\(path) cannot be made: \(parent) does not exist; make it first") }
        guard errno == EEXIST else { throw .system("cannot be made", path) }
        return false
    }

    /// Returns the names of its files, also hidden ones.
    func names() throws(CommandError) -> [String] {
        let descriptor = Foundation.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("is not a readable directory", path) }
        close(descriptor)
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw .unusable("\(path) is not a readable directory")
        }
    }

    func sync() throws(CommandError) {
        let descriptor = Foundation.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("cannot be opened", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .system("cannot be written to the disk", path) }
    }
}

/// The options for a data directory that is only read.
struct DataDirectoryOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The data directory, as in data.path of carillond.", valueName: "directory"))
    var data: String

    @Option(
        help: ArgumentHelp(
            "The directory for a copy if a server is running. Default: beside the data directory.",
            valueName: "directory"))
    var work: String?

    func openSnapshot() throws(CommandError) -> LMDBRegistry {
        try DataDirectory(path: data).openSnapshot(copyIn: work)
    }
}
