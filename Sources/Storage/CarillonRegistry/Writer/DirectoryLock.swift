package import CarillonCore
import CarillonLMDB
import Glibc
import Synchronization

/// The lock of one process on a data directory. The kernel releases it when the process ends, however it ends.
///
/// LMDB admits several writing processes in turn, but the writer keeps the next ids in memory between its commits: a
/// second writer would give the same ids again.
///
/// It locks two files: `writer.lock`, which exists before there is a database, and `data.mdb`. If
/// `writer.lock` is removed, a second process is still refused.
package final class DirectoryLock: Sendable {
    private let path: String
    private let descriptor: CInt
    private let database = Mutex<CInt?>(nil)

    /// The most retries for a lock that another process has.
    private static let maximumRetries = 20
    /// The microseconds between two retries.
    static let retryDelayMicroseconds: CUnsignedInt = 50_000
    private static let name = "writer.lock"

    /// Takes the lock. Throws `.inUse` if another process still has it after a second. It waits because a call of
    /// `isHeld` in another process takes the lock for an instant, and a process that ends keeps it a little longer.
    package init(path: String) throws(RegistryError) {
        self.path = path
        descriptor = try Self.take(Self.name, flags: O_CREAT | O_RDWR, in: path)
        if DataFile.exists(in: path) { try claimDatabase() }
    }

    /// Locks `data.mdb`, which was made since the directory was locked; without effect if it is locked already.
    package func claimDatabase() throws(RegistryError) {
        guard database.withLock({ $0 == nil }) else { return }
        let taken = try Self.take(DataFile.name, flags: O_RDONLY, in: path)
        database.withLock { $0 = taken }
    }

    /// Locks `data.mdb`, which was replaced by another file while the directory was locked.
    func claimReplacedDatabase() throws(RegistryError) {
        if let replaced = database.withLock({ $0.take() }) { close(replaced) }
        try claimDatabase()
    }

    private static func take(_ name: String, flags: CInt, in path: String) throws(RegistryError) -> CInt {
        for _ in 0..<maximumRetries {
            if let descriptor = try tryToTake(name, flags: flags, in: path) { return descriptor }
            usleep(retryDelayMicroseconds)
        }
        guard let descriptor = try tryToTake(name, flags: flags, in: path) else { throw .inUse(path) }
        return descriptor
    }

    /// Opens and locks a file; nil if another process has the lock.
    private static func tryToTake(_ name: String, flags: CInt, in path: String) throws(RegistryError) -> CInt? {
        let descriptor = open("\(path)/\(name)", flags | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .storageFailed("\(path)/\(name) cannot be opened: \(String(cString: strerror(errno)))")
        }
        // If the file has been removed, the lock on it protects nothing: the next process locks another file.
        var held = stat()
        var named = stat()
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &held) == 0,
            stat("\(path)/\(name)", &named) == 0, held.st_ino == named.st_ino
        else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    deinit {
        close(descriptor)
        if let database = database.withLock({ $0 }) { close(database) }
    }

    /// Returns true if any process has the lock now.
    package static func isHeld(path: String) -> Bool {
        [name, DataFile.name].contains { name in
            let descriptor = open("\(path)/\(name)", O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { return false }
            // Closing the file releases the lock.
            defer { close(descriptor) }
            return flock(descriptor, LOCK_SH | LOCK_NB) != 0
        }
    }
}
