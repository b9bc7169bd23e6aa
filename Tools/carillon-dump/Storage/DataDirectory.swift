import CarillonCommandLine
import CarillonCore
import CarillonRegistry
import Foundation

/// A directory that holds a registry, or is to hold one.
struct DataDirectory {
    let path: String

    /// The file of the database.
    var file: String { path + "/data.mdb" }

    /// Whether a server uses it now.
    var isInUse: Bool { DirectoryLock.isHeld(path: path) }

    /// Opens what it holds for reading, in place.
    func open() throws(Failure) -> LMDBRegistry {
        guard access(path, F_OK) == 0 else { throw .unusable("\(path) does not exist") }
        guard access(file, F_OK) == 0 else { throw .unusable("\(path) holds no database: it has no data.mdb") }
        guard access(file, R_OK) == 0 else { throw .system("cannot be read", file) }
        ReadFault.watch()
        try catchUp()
        let registry = try reading(path) { () throws(RegistryError) in try LMDBRegistry(reading: path) }
        try giveToOwner(["lock.mdb"])
        return registry
    }

    /// Does what the next start of a server would: puts into the database what one that was killed has answered and left in its journal,
    /// and takes over what an older program has stored.
    private func catchUp() throws(Failure) {
        guard !isInUse, try reading(path, { () throws(RegistryError) in try LMDBRegistry.isBehind(at: path) }) else {
            return
        }
        var options = LMDBRegistry.Options()
        options.createsDirectory = false
        // Of the server's limit nothing is known here; what it has answered was within it.
        options.maximumMapBytes = 1 << 44
        options.onUnreadable = { Terminal.complain($0) }
        try reading(path) { () throws(RegistryError) in try LMDBRegistry(path: path, options: options).close() }
        try giveToOwner(["writer.lock"])
    }

    /// Opens what it holds as it is at this moment, for reads that last: in place if no server uses it, else a copy in `work`,
    /// by default beside it, that nobody else sees.
    func openSnapshot(work: String?) throws(Failure) -> LMDBRegistry {
        guard isInUse else { return try open() }
        let live = try open()
        defer { live.close() }
        let parent = work ?? URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent().path
        let copy = try StagingDirectory(in: parent)
        try copy.checkRoom(for: live)
        try reading(path) { () throws(RegistryError) in try live.copy(to: copy.path, compacting: false) }
        let registry = try reading(path) { () throws(RegistryError) in try LMDBRegistry(reading: copy.path) }
        // The open file lives without a name, and ends with the process however that ends.
        copy.remove()
        return registry
    }

    /// Makes the directory for its owner alone, if it is missing; answers whether it did.
    func make() throws(Failure) -> Bool {
        if mkdir(path, 0o700) == 0 { return true }
        guard errno == EEXIST else { throw .system("cannot be made", path) }
        return false
    }

    /// The names in it, the hidden ones too.
    func names() throws(Failure) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw .unusable("\(path) is no directory that can be read")
        }
    }

    /// Puts the names in it on the disk.
    func sync() throws(Failure) {
        let descriptor = Foundation.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("cannot be opened", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .system("cannot be written to the disk", path) }
    }

    /// What root makes here, or in `folder` to be moved here, belongs to whoever the directory belongs to: else the server
    /// could not open it.
    func giveToOwner(_ names: [String], in folder: String? = nil) throws(Failure) {
        var status = stat()
        guard geteuid() == 0, stat(path, &status) == 0, status.st_uid != 0 else { return }
        for name in names.map({ "\(folder ?? path)/\($0)" }) where access(name, F_OK) == 0 {
            guard chown(name, status.st_uid, status.st_gid) == 0 else {
                throw .system("cannot be given to the owner of its directory", name)
            }
        }
    }
}
