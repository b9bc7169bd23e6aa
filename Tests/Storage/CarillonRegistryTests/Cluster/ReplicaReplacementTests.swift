import CarillonCore
import CarillonRegistryTestKit
import Foundation
import Testing

@testable import CarillonRegistry

/// A new database replaces that of a replica at the next start, wherever the process ended before.
struct ReplicaReplacementTests {
    private let scratch = RegistryDirectory()

    /// Makes a database with device 1, and begins to replace it by an empty one.
    ///
    /// - Returns: the replacement, the epoch of the database, and the parameters of the empty one.
    private func begin() throws -> (replacement: ReplicaReplacement, epoch: UUIDBytes, parameters: [UInt8]) {
        let before = try scratch.open()
        try before.apply(.register(1))
        let epoch = before.epoch
        before.close()
        let other = RegistryDirectory()
        let source = try other.open()
        let parameters = source.initialParameters
        source.close()
        let replacement = try ReplicaReplacement(of: scratch.path)
        try replacement.makeEmpty(parameters: parameters, replicaID: .zero)
        return (replacement, epoch, parameters)
    }

    /// Starts the replica twice: the second start finds the same as the first, and no file of a replacement.
    private func startTwice(_ body: (LMDBRegistry) throws -> Void) throws {
        for _ in 1...2 {
            let registry = try scratch.open { $0.exchange = ReplicaExchange() }
            try body(registry)
            registry.close()
            let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
            #expect(!left.contains { $0.hasPrefix("replacement") })
        }
    }

    @Test func `a replacement that is not completed is dropped`() throws {
        let (_, epoch, _) = try begin()
        try startTwice { (registry) throws in
            #expect(registry.epoch == epoch)
            #expect(try registry.device(byToken(1), of: game)?.id == deviceID(1))
        }
    }

    @Test func `a completed replacement is the database from the next start on`() throws {
        let (replacement, epoch, parameters) = try begin()
        try replacement.complete()
        try startTwice { (registry) throws in
            #expect(registry.epoch != epoch)
            #expect(registry.initialParameters == parameters)
            #expect(try registry.device(byToken(1), of: game) == nil)
        }
    }

    /// The process has ended after the file was moved, and before its folder was removed.
    @Test func `a replacement that is in its place stays there`() throws {
        let (replacement, _, parameters) = try begin()
        try replacement.complete()
        for name in ["data.mdb", "data.wal"] where FileManager.default.fileExists(atPath: scratch.file(name).path) {
            try FileManager.default.removeItem(at: scratch.file(name))
        }
        try FileManager.default.moveItem(at: scratch.file("replacement/data.mdb"), to: scratch.file("data.mdb"))
        try startTwice { (registry) throws in
            #expect(registry.initialParameters == parameters)
            #expect(try registry.device(byToken(1), of: game) == nil)
        }
    }

    /// Programs before the first release called the log `journal`.
    @Test func `a replacement removes a log of the replaced database under both names`() throws {
        let (replacement, _, parameters) = try begin()
        try replacement.complete()
        for name in ["data.wal", "journal"] { try Data("a log".utf8).write(to: scratch.file(name)) }
        try startTwice { (registry) throws in #expect(registry.initialParameters == parameters) }
        #expect(!FileManager.default.fileExists(atPath: scratch.file("journal").path))
    }
}
