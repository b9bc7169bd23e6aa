import Glibc
import Synchronization

/// The directory that holds an LMDB environment's files.
package enum StorageDirectory {
    /// Makes the directory, for its owner alone; one that exists is left as it is.
    package static func create(_ path: String) throws(LMDBError) {
        if mkdir(path, 0o700) == 0 { return try sync(path + "/..") }
        if errno != EEXIST { throw .ofErrno("mkdir") }
    }

    /// Makes the names in a directory durable.
    package static func sync(_ path: String) throws(LMDBError) {
        try syncFile(path, flags: O_RDONLY | O_DIRECTORY)
    }

    /// Makes a file's bytes, or a directory's names, durable.
    package static func syncFile(_ path: String, flags: CInt = O_RDONLY) throws(LMDBError) {
        let descriptor = open(path, flags | O_CLOEXEC)
        if descriptor < 0 { throw .ofErrno("open") }
        let failure: LMDBError? = fsync(descriptor) == 0 ? nil : .ofErrno("fsync")
        close(descriptor)
        if let failure { throw failure }
    }
}

/// The lock of an LMDB environment's directory within this process. The registry's lock keeps off other processes.
///
/// lmdb.h, "Caveats": "Do not have open an LMDB database twice in the same process at the same time", because closing
/// one drops the file locks of the other. A second lock is therefore refused.
struct ProcessDirectoryLock: ~Copyable {
    /// A directory, whatever its path is.
    private struct FileID: Hashable {
        let device: dev_t
        let inode: ino_t
    }

    private static let locked = Mutex<Set<FileID>>([])

    private let directory: FileID
    /// The open directory. As long as it is open, no other directory gets its inode, even if it was removed.
    private let descriptor: CInt

    init(path: String) throws(LMDBError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0 { throw .ofErrno("open") }
        do throws(LMDBError) {
            var status = stat()
            if fstat(descriptor, &status) != 0 { throw .ofErrno("fstat") }
            let directory = FileID(device: status.st_dev, inode: status.st_ino)
            guard Self.locked.withLock({ $0.insert(directory).inserted }) else {
                throw LMDBError(.alreadyOpen, operation: "open")
            }
            self.directory = directory
            self.descriptor = descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit {
        _ = Self.locked.withLock { $0.remove(directory) }
        close(descriptor)
    }
}
