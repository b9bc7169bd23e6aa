import Glibc

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
