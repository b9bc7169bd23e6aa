import CarillonCore
import CarillonRegistryTestKit
import Foundation
import Glibc
import Testing

@testable import CarillonRegistry

/// The lock of a data directory, and what a process leaves behind.
struct OwnershipTests {
    private let scratch = RegistryDirectory()

    /// A file that is opened before the directory is locked may be replaced by the directory's owner in the meantime.
    @Test func nothingIsOpenedInADirectoryThatAnotherUses() throws {
        try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
        let lock = try DirectoryLock(path: scratch.path)
        #expect(throws: RegistryError.inUse(scratch.path)) { try scratch.open() }
        #expect(throws: RegistryError.inUse(scratch.path)) {
            try RegistryBuilder(path: scratch.path)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["writer.lock"])
        withExtendedLifetime(lock) {}
    }

    /// `carillon-dump`, that asks in the instant of a start, is no other server.
    @Test func aCheckOfTheLockKeepsNoProcessOut() throws {
        try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
        let descriptor = open(scratch.path + "/writer.lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        #expect(flock(descriptor, LOCK_SH | LOCK_NB) == 0)
        // A queue of its own: the threads of the global queue may all wait in other tests.
        let queue = DispatchQueue(label: "another process", qos: .userInteractive)
        queue.asyncAfter(deadline: .now() + .milliseconds(200)) { close(descriptor) }
        try scratch.open().close()
        #expect(RegistryError.inUse("/data").description == "data directory /data is in use by another process")
    }

    @Test func theDirectoryIsHeldForAsLongAsTheWriterWrites() throws {
        let hold = try scratch.open().holdWriter(with: .register(1))
        #expect(DirectoryLock.isHeld(path: scratch.path))
        hold.release()
    }

    /// The place of an interrupted `carillon-dump backup` would keep every page that was in use then for good.
    @Test func aSweepForgetsReadersThatDied() async throws {
        let registry = try scratch.open()
        _ = try registry.apply(.register(1))
        await #expect(processExitsWith: .success) { [path = scratch.path as String] in
            try LMDBRegistry(reading: path).readSnapshot { (_, _) throws -> Void in _exit(EXIT_SUCCESS) }
        }
        #expect(try registry.statistics().readers == 1)
        #expect(try !registry.sweep(now: timestamp(1)))
        #expect(try registry.statistics().readers == 0)
    }
}
