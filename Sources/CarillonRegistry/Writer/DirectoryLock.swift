package import CarillonCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The lock of one process on a data directory. The kernel releases it when the process ends, however it ends.
///
/// LMDB admits several writing processes in turn, but the writer keeps the next ids in memory between its commits: a
/// second writer would give the same ids again.
package final class DirectoryLock: Sendable {
    private let descriptor: CInt

    /// The number of retries for a lock that another process has, and the microseconds between them.
    private static let (retries, pause): (Int, CUnsignedInt) = (20, 50_000)

    /// Takes the lock. Throws `.inUse` if another process still has it after a second: a call of `isHeld` has
    /// it for an instant, and a process that ends has it a little longer.
    package init(path: String) throws(RegistryError) {
        for _ in 0..<Self.retries {
            if let descriptor = try Self.take(path) {
                self.descriptor = descriptor
                return
            }
            usleep(Self.pause)
        }
        guard let descriptor = try Self.take(path) else { throw .inUse(path) }
        self.descriptor = descriptor
    }

    /// The open file with the lock; nil if another process has the lock.
    private static func take(_ path: String) throws(RegistryError) -> CInt? {
        let descriptor = open(path + "/writer.lock", O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .storageFailed("\(path)/writer.lock cannot be opened") }
        // If the file was removed meanwhile, the lock on it is worth nothing: the next process locks another file.
        var (held, named) = (stat(), stat())
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &held) == 0,
            stat(path + "/writer.lock", &named) == 0, held.st_ino == named.st_ino
        else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    deinit { close(descriptor) }

    /// Returns true if a process has the lock now.
    package static func isHeld(path: String) -> Bool {
        let descriptor = open(path + "/writer.lock", O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        // Closing the file releases the lock.
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0
    }
}
