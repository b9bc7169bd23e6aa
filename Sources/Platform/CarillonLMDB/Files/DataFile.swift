import CCarillonLMDB
import Glibc

/// The file of an LMDB environment, before LMDB opens it.
package enum DataFile {
    /// The name of the file in the directory of the LMDB environment.
    package static let name = "data.mdb"
    private static let unfinishedName = "data.mdb.new"

    /// Returns true if there is a file with content. LMDB takes an empty one for a new one.
    package static func exists(in directory: String) -> Bool {
        var status = stat()
        return stat("\(directory)/\(name)", &status) == 0 && status.st_size > 0
    }

    /// Prepares the file for an LMDB environment that writes.
    ///
    /// A missing file is made under another name, synced and renamed: after a power cut there is a whole one or none.
    /// LMDB itself makes it in place and syncs it with the first commit.
    ///
    /// A file that exists is synced. The process before may have ended after a failed write of LMDB's meta page. Then
    /// the system's cache has other pages than the disk, and a commit on top of them could lose both.
    ///
    /// - Throws: the error of the system call.
    static func prepare(in directory: String) throws(LMDBError) {
        var status = stat()
        if stat("\(directory)/\(name)", &status) != 0 {
            guard errno == ENOENT else { throw .ofErrno("stat") }
        } else if status.st_size > 0 {
            return try StorageDirectory.syncFile("\(directory)/\(name)")
        }
        let unfinished = "\(directory)/\(unfinishedName)"
        // A process may have ended while it made one.
        unlink(unfinished)
        try create(unfinished)
        try StorageDirectory.syncFile(unfinished)
        guard rename(unfinished, "\(directory)/\(name)") == 0 else { throw .ofErrno("rename") }
        try StorageDirectory.sync(directory)
    }

    /// Makes LMDB print the reason before it aborts the process, which it does when a page contradicts itself.
    static func explainAborts(of handle: OpaquePointer) {
        _ = mdb_env_set_assert(handle) { _, _ in
            let text: StaticString = "data.mdb is damaged: a page contradicts itself. Restore a backup.\n"
            _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
        }
    }

    private static func create(_ path: String) throws(LMDBError) {
        var made: OpaquePointer?
        try LMDBError.check(mdb_env_create(&made), "mdb_env_create")
        defer { mdb_env_close(made) }
        let flags = CUnsignedInt(MDB_NOSUBDIR | MDB_NOLOCK)
        try LMDBError.check(mdb_env_open(made, path, flags, 0o600), "mdb_env_open")
    }
}
