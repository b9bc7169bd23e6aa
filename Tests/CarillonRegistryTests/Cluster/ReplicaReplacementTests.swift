import CarillonCluster
import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Foundation
import Testing

@testable import CarillonRegistry

/// The rows of a database about a shared log, and the database that another start puts in its place.
struct ReplicaReplacementTests {
    private static var state: ReplicaState {
        get throws {
            var state = ReplicaState(replica: UUIDBytes(high: 1, low: 2), hasData: true)
            state.content.log = UUIDBytes(high: 3, low: 4)
            state.content.hash = RunningHash(position: 17, value: UUIDBytes(high: 5, low: 6))
            state.content.initialState = .imported
            let name = try #require(NodeName("a"))
            let id = LogEntry.ID(member: Member(node: name, incarnation: 9), sequence: 1)
            state.live.apply(try #require(LogEntry(id: id, format: 1, content: .joined)))
            return state
        }
    }

    private func read(_ bytes: [UInt8]) throws -> ReplicaState {
        try ByteReader.read(bytes.span, of: "meta") { try ReplicaState(&$0) }
    }

    @Test func theStateIsReadAsItWasWritten() throws {
        for state in [try Self.state, ReplicaState(hasData: false)] {
            #expect(try read(state.bytes) == state)
        }
    }

    @Test func aStateWithOtherBytesIsRefused() throws {
        let bytes = try Self.state.bytes
        for count in 0..<bytes.count {
            #expect(throws: RegistryError.self, "the first \(count) bytes") { try read(Array(bytes.prefix(count))) }
        }
        for (place, value) in [
            (place: 0, value: 2), (place: 1, value: 4), (place: 34, value: 0xff), (place: 58, value: 9),
        ] as [(place: Int, value: UInt8)] {
            var other = bytes
            other[place] = value
            #expect(throws: RegistryError.self, "byte \(place)") { try read(other) }
        }
    }

    /// The progress of a process before it ended.
    enum Progress: CaseIterable {
        case unfinished, complete, inPlace
    }

    @Test(arguments: Progress.allCases)
    func theDirectoryHasAWholeDatabaseWheneverTheProcessEnds(progress: Progress) throws {
        let (scratch, other) = (RegistryDirectory(), RegistryDirectory())
        let before = try scratch.open()
        _ = try before.apply(register(1))
        let epoch = before.epoch
        before.close()
        let source = try other.open()
        let parameters = source.initialParameters
        source.close()

        let replacement = try ReplicaReplacement(of: scratch.path)
        try replacement.makeEmpty(parameters: parameters, replica: .zero)
        if progress != .unfinished { try replacement.complete() }
        if progress == .inPlace {
            for file in ["data.mdb", "journal"] {
                try? FileManager.default.removeItem(atPath: "\(scratch.path)/\(file)")
            }
            try FileManager.default.moveItem(
                atPath: "\(scratch.path)/replacement/data.mdb", toPath: "\(scratch.path)/data.mdb")
        }

        for _ in 1...2 {
            let after = try scratch.open { $0.replica = ReplicaExchange() }
            #expect((after.epoch == epoch) == (progress == .unfinished))
            #expect((after.initialParameters == parameters) == (progress != .unfinished))
            #expect(try (after.device(byToken(1), of: game) != nil) == (progress == .unfinished))
            after.close()
            let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
            #expect(!left.contains { $0.hasPrefix("replacement") })
        }
    }

    @Test func aDirectoryWithLiveMembersIsNotServedAlone() throws {
        let scratch = RegistryDirectory()
        try scratch.open().close()
        let state = try Self.state
        try scratch.edit { environment, tables in
            try environment.write { try tables.meta.putReplica(state, in: &$0) }
        }
        #expect {
            try scratch.open()
        } throws: { error in
            guard case RegistryError.refused(let sentence) = error else { return false }
            return sentence.contains("a/9") && sentence.contains("17")
        }
        // A backup belongs to no cluster, so it can be served.
        let copy = RegistryDirectory()
        let registry = try LMDBRegistry(reading: scratch.path)
        try registry.copy(to: copy.path, compacting: true)
        registry.close()
        try copy.open().close()
    }
}
