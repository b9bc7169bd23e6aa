import CarillonCommandLine
import CarillonCore
import CarillonRegistry
import Foundation

/// A temporary directory in which a database is made. It is removed in every case.
final class StagingDirectory {
    let path: String

    private static let names = ["data.mdb", "data.mdb.new", "lock.mdb", "writer.lock"]

    init(in parent: String) throws(CommandError) {
        var template = Array("\(parent)/.carillon-dump-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .system("cannot make a staging directory", parent) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        CleanupOnExit.register(Self.names.map { "\(path)/\($0)" }, directory: path)
    }

    deinit { remove() }

    /// The data directory at this path, with the database that is made.
    var directory: DataDirectory { DataDirectory(path: path) }

    func remove() { CleanupOnExit.remove(directory: path) }

    /// Checks that the file system has enough space for a copy.
    func checkRoom(for registry: LMDBRegistry) throws(CommandError) {
        let needed = try translateErrors(at: path) { () throws(RegistryError) in try registry.statistics().bytes }
        var file = statvfs()
        guard statvfs(path, &file) == 0 else { throw .system("does not report its free space", path) }
        let (room, overflows) = UInt64(file.f_bavail).multipliedReportingOverflow(by: UInt64(file.f_frsize))
        // A full disk would stop a server on the same disk.
        guard overflows || room > UInt64(needed) + Self.reservedBytes else {
            let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
            let reserve = "\(Self.reservedBytes >> 20) MiB of reserve"
            throw .unusable("\(parent) has \(room >> 20) MiB free, a copy needs \(needed >> 20) MiB and \(reserve)")
        }
    }

    private static let reservedBytes: UInt64 = 256 << 20

    func verify() throws(CommandError) {
        let registry = try directory.open()
        defer { registry.close() }
        let findings = try translateErrors(at: path) { () throws(RegistryError) in try registry.verifyFile() }
        guard let first = findings.first else { return }
        throw .refused(
            "the written data does not verify, \(findings.count) findings: \(first.sentence(AppNames(registry)))")
    }

    /// Moves the database into `target` atomically.
    func move(to target: DataDirectory) throws(CommandError) {
        // The reader table of another file would mislead the next process that opens this one.
        if unlink(target.path + "/lock.mdb") != 0, errno != ENOENT { throw .system("cannot be removed", "lock.mdb") }
        guard rename(path + "/data.mdb", target.file) == 0 else { throw .system("cannot be moved", path) }
        // Another process may have opened the old file in between and created its reader table again.
        unlink(target.path + "/lock.mdb")
        try target.sync()
    }
}
