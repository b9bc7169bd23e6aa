package import CarillonCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The claim of one process on a data directory; the kernel gives it back when the process ends, however it ends.
///
/// LMDB lets several processes write in turn, but the writer keeps the next ids in memory between its commits: a second one would
/// give out the same ids again.
package final class DirectoryLock: Sendable {
    private let descriptor: CInt

    /// How often, and after how many microseconds each, a lock that somebody has is tried again.
    private static let (retries, pause): (Int, CUnsignedInt) = (20, 50_000)

    /// Takes the lock; throws `.inUse` if another process has it, and still does after a second: whoever asks `isHeld` has
    /// it for an instant, and a process that ends a little longer.
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

    /// The open file that bears the lock; nil if another process has it.
    private static func take(_ path: String) throws(RegistryError) -> CInt? {
        let descriptor = open(path + "/writer.lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .storageFailed("\(path)/writer.lock cannot be opened") }
        // Whoever had it may have removed the file first: then the next one makes another, and has a lock as well.
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

    /// Whether a process has the lock now.
    package static func isHeld(path: String) -> Bool {
        let descriptor = open(path + "/writer.lock", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        // Closing it gives the lock back.
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0
    }
}
