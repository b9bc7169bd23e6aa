import CarillonCommandLine
import CarillonCore
import CarillonRegistry
import Foundation

/// Replaces a directory's database by a new one, once the new one is whole.
extension DataDirectory {
    /// Verifies the database that `body` writes in a staging directory, moves it here, and returns its size in bytes.
    ///
    /// The directory is locked until the end. After a failure it has its old content. `body` runs with the rights of
    /// the owner of the directory, and gets the lock.
    func fill(
        mustBeEmpty: Bool, _ body: (StagingDirectory, DirectoryLock) throws(CommandError) -> Void
    ) throws(CommandError) -> UInt64 {
        let isNew = try createIfMissing()
        return try ProcessUser.runAsOwner(of: path) { () throws(CommandError) in
            try fill(isNew: isNew, mustBeEmpty: mustBeEmpty, body)
        }
    }

    private func fill(
        isNew: Bool, mustBeEmpty: Bool, _ body: (StagingDirectory, DirectoryLock) throws(CommandError) -> Void
    ) throws(CommandError) -> UInt64 {
        if mustBeEmpty, let name = try names().first {
            throw .unusable(
                DirectoryLock.isHeld(path: path)
                    ? "a server uses \(path)"
                    : "\(path) is not empty (\(name)): data is never overwritten; give another directory")
        }
        let hadLock = access(path + "/writer.lock", F_OK) == 0
        let lock: DirectoryLock
        do throws(RegistryError) {
            lock = try DirectoryLock(path: path)
        } catch {
            if isNew { rmdir(path) }
            throw .unusable("\(path) cannot be used: \(error.reason)")
        }
        var isDone = false
        defer {
            if !isDone {
                if !hadLock { unlink(path + "/writer.lock") }
                if isNew { rmdir(path) }
            }
            // The lock is released last: a lock on a file that is removed afterwards would not protect the directory.
            withExtendedLifetime(lock) {}
        }
        let staging = try StagingDirectory(in: path)
        defer { staging.remove() }
        try body(staging, lock)
        try staging.verify()
        var status = stat()
        guard lstat(staging.path + "/data.mdb", &status) == 0 else { throw .system("is not there", staging.path) }
        try staging.move(to: self)
        isDone = true
        return UInt64(status.st_size)
    }
}
