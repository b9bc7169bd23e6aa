import CarillonCore
import CarillonRegistryTestKit
import Foundation
import Glibc
import Testing

@testable import CarillonRegistry

/// The lock of a data directory: who has it, for how long, and who is refused.
struct DirectoryLockTests {
    private let scratch = RegistryDirectory()

    /// A file that is opened before the directory is locked may be replaced by the directory's owner in the meantime.
    @Test func `nothing is opened in a directory that another uses`() throws {
        try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
        let lock = try DirectoryLock(path: scratch.path)
        #expect(throws: RegistryError.inUse(scratch.path)) { try scratch.open() }
        #expect(throws: RegistryError.inUse(scratch.path)) {
            try RegistryBuilder(path: scratch.path)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["writer.lock"])
        withExtendedLifetime(lock) {}
    }

    /// `carillon-dump` holds the lock for a moment to see whether a server runs, and a server may start just then.
    @Test func `a check of the lock keeps no process out`() throws {
        try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
        let descriptor = open(scratch.path + "/writer.lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        #expect(flock(descriptor, LOCK_SH | LOCK_NB) == 0)
        // The test has a queue of its own, because all threads of the global queue may wait in other tests.
        let queue = DispatchQueue(label: "another process", qos: .userInteractive)
        // A few of the delays that the start makes between its tries.
        let delays = DispatchTimeInterval.microseconds(4 * Int(DirectoryLock.retryDelayMicroseconds))
        queue.asyncAfter(deadline: .now() + delays) { close(descriptor) }
        try scratch.open().close()
    }

    @Test func `the directory is held for as long as the writer writes`() throws {
        // Nothing but its writer has the registry, whose last reference is released.
        let hold = try scratch.open().holdWriter(with: .register(1))
        #expect(DirectoryLock.isHeld(path: scratch.path))
        hold.release()
    }

    @Test(.timeLimit(.minutes(1))) func `a second server is refused also without the lock file`() throws {
        let registry = try scratch.open()
        try FileManager.default.removeItem(at: scratch.file("writer.lock"))
        #expect(DirectoryLock.isHeld(path: scratch.path))
        #expect(throws: RegistryError.inUse(scratch.path)) { try scratch.open() }
        #expect(throws: RegistryError.inUse(scratch.path)) { try DirectoryLock(path: scratch.path) }
        registry.close()
        // A process that another test starts has the descriptor of the lock, until it runs its program.
        while DirectoryLock.isHeld(path: scratch.path) { sched_yield() }
    }
}
