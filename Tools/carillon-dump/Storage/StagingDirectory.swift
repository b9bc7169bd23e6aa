import CarillonCore
import CarillonRegistry
import Foundation

/// A directory with a name of its own in which a database is made; nothing of it is left behind, whatever happens.
final class StagingDirectory {
    /// Where it is.
    let path: String

    private static let names = ["data.mdb", "lock.mdb", "writer.lock"]

    /// Makes it in the directory `parent`.
    init(in parent: String) throws(Failure) {
        var template = Array("\(parent)/.carillon-dump-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .system("takes no directory for work", parent) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        Leftovers.note(Self.names.map { "\(path)/\($0)" }, directory: path)
    }

    deinit { remove() }

    /// The database in it.
    var directory: DataDirectory { DataDirectory(path: path) }

    /// Removes the files' names and the directory.
    func remove() { Leftovers.remove() }

    /// Refuses a copy for which the file system has no room.
    func checkRoom(for registry: LMDBRegistry) throws(Failure) {
        let needed = try reading(path) { () throws(RegistryError) in try registry.statistics().bytes }
        var file = statvfs()
        guard statvfs(path, &file) == 0 else { throw .system("does not say how much room it has", path) }
        let (room, overflows) = UInt64(file.f_bavail).multipliedReportingOverflow(by: UInt64(file.f_frsize))
        // A full disk would stop the server, if it is the same one.
        guard overflows || room > UInt64(needed) + Self.reserve else {
            let work = URL(fileURLWithPath: path).deletingLastPathComponent().path
            throw .unusable("\(work) has room for \(room >> 20) MiB, a copy wants \(needed >> 20) MiB and 256 to spare")
        }
    }

    private static let reserve: UInt64 = 256 << 20

    /// Checks all that was made in it.
    func verify() throws(Failure) {
        let registry = try directory.open()
        defer { registry.close() }
        let findings = try reading(path) { () throws(RegistryError) in try registry.verifyFile() }
        guard let first = findings.first else { return }
        throw .refused(
            "what was written does not verify, \(findings.count) findings: \(first.sentence(Apps(registry)))")
    }

    /// Moves the database into `target`, which has it from one moment to the next.
    func deliver(to target: DataDirectory) throws(Failure) {
        // A table of readers that belongs to another file would mislead whoever opens this one.
        if unlink(target.path + "/lock.mdb") != 0, errno != ENOENT { throw .system("cannot be removed", "lock.mdb") }
        // Before it is there: a server that starts in between could not open it.
        try target.giveToOwner(["data.mdb"], in: path)
        guard rename(path + "/data.mdb", target.file) == 0 else { throw .system("cannot be moved", path) }
        // Somebody may have begun to read the old one in between, and made a new table for it.
        unlink(target.path + "/lock.mdb")
        try target.sync()
        try target.giveToOwner(["lock.mdb", "writer.lock"])
    }
}

/// Removes a directory and the known files in it, and an output that is not whole, also from the handler of a signal: so it
/// is all prepared before.
enum Leftovers {
    // Safety: written by the one thread that runs a command, before a handler is of interest; a handler only reads it, and
    // ends the process.
    private nonisolated(unsafe) static var files: [UnsafeMutablePointer<CChar>?] = []
    private nonisolated(unsafe) static var directory: UnsafeMutablePointer<CChar>?
    private nonisolated(unsafe) static var output: UnsafeMutablePointer<CChar>?

    /// Notes a file that has whole tokens, and is to go unless it is finished.
    static func note(output path: String) {
        ReadFault.watch()
        output = strdup(path)
    }

    /// It is finished, or gone.
    static func forgetOutput() { output = nil }

    /// Notes what is to go.
    static func note(_ files: [String], directory: String) {
        ReadFault.watch()
        Self.files = files.map { strdup($0) }
        Self.directory = strdup(directory)
    }

    /// Removes the directory and the output.
    static func removeAll() {
        if let output { unlink(output) }
        remove()
    }

    /// Removes the directory.
    static func remove() {
        guard let directory else { return }
        for file in files { if let file { unlink(file) } }
        rmdir(directory)
        Self.directory = nil
    }
}
