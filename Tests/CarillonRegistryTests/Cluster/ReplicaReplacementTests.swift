import CarillonCore
import CarillonRegistryTestKit
import Foundation
import Testing

@testable import CarillonRegistry

/// The database that replaces that of a replica at the next start.
struct ReplicaReplacementTests {
    /// The progress of a process before it ended.
    enum Progress: CaseIterable {
        case unfinished, complete, inPlace
    }

    @Test(arguments: Progress.allCases)
    func theDirectoryHasAWholeDatabaseWheneverTheProcessEnds(progress: Progress) throws {
        let (scratch, other) = (RegistryDirectory(), RegistryDirectory())
        let before = try scratch.open()
        _ = try before.apply(.register(1))
        let epoch = before.epoch
        before.close()
        let source = try other.open()
        let parameters = source.initialParameters
        source.close()

        let replacement = try ReplicaReplacement(of: scratch.path)
        try replacement.makeEmpty(parameters: parameters, replicaID: .zero)
        if progress != .unfinished { try replacement.complete() }
        if progress == .inPlace {
            for file in ["data.mdb", "journal"] {
                try? FileManager.default.removeItem(atPath: "\(scratch.path)/\(file)")
            }
            try FileManager.default.moveItem(
                atPath: "\(scratch.path)/replacement/data.mdb", toPath: "\(scratch.path)/data.mdb")
        }

        for _ in 1...2 {
            let after = try scratch.open { $0.exchange = ReplicaExchange() }
            #expect((after.epoch == epoch) == (progress == .unfinished))
            #expect((after.initialParameters == parameters) == (progress != .unfinished))
            #expect(try (after.device(byToken(1), of: game) != nil) == (progress == .unfinished))
            after.close()
            let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
            #expect(!left.contains { $0.hasPrefix("replacement") })
        }
    }
}
