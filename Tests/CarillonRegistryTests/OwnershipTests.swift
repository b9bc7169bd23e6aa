import CarillonCore
import Foundation
import Testing

@testable import CarillonRegistry

/// Who may use a data directory.
struct OwnershipTests {
    private let scratch = Scratch()

    /// What was opened before the directory is one's own may be a file that its owner replaces in the meantime.
    @Test func nothingIsOpenedInADirectoryThatAnotherUses() throws {
        try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
        let lock = try DirectoryLock(path: scratch.path)
        #expect(throws: RegistryError.storageFailed("another process uses \(scratch.path)")) { try scratch.open() }
        #expect(throws: RegistryError.storageFailed("another process uses \(scratch.path)")) {
            try RegistryBuilder(path: scratch.path)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["writer.lock"])
        withExtendedLifetime(lock) {}
    }

    @Test func theDirectoryIsHeldForAsLongAsTheWriterWrites() throws {
        let isHolding = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        do {
            let registry = try scratch.open()
            registry.submit(register(1), deadline: nil) { _ in
                isHolding.signal()
                mayGoOn.wait()
            }
            isHolding.wait()
        }
        #expect(DirectoryLock.isHeld(path: scratch.path))
        mayGoOn.signal()
    }
}
