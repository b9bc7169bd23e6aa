import CarillonCluster
import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// The row of a database about the shared log that it is made from.
struct ReplicaRecordTests {
    /// A row with a value in each field, of a log with the live member a/9.
    private static var record: ReplicaRecord {
        get throws {
            var record = ReplicaRecord(replicaID: UUIDBytes(high: 1, low: 2), hasForeignData: true)
            record.state.log = UUIDBytes(high: 3, low: 4)
            record.state.applied = RunningHash(position: 17, value: UUIDBytes(high: 5, low: 6))
            record.state.initialState = .imported
            let name = try #require(NodeName("a"))
            let id = LogEntry.ID(member: Member(node: name, incarnation: 9), sequence: 1)
            record.live.apply(try #require(LogEntry(id: id, format: 1, content: .joined)))
            return record
        }
    }

    /// A byte of the row, and a value that it cannot have.
    struct Damage: CustomTestStringConvertible {
        let field: String
        let index: Int
        let value: UInt8

        var testDescription: String { field }
    }

    private func read(_ bytes: [UInt8]) throws -> ReplicaRecord {
        try ByteReader.read(bytes.span, of: "meta") { try ReplicaRecord(&$0) }
    }

    @Test func `the row is read as it was written`() throws {
        for record in [try Self.record, ReplicaRecord(hasForeignData: false)] {
            #expect(try read(record.bytes) == record)
        }
    }

    @Test func `a row that ends early is refused`() throws {
        let bytes = try Self.record.bytes
        for count in 0..<bytes.count {
            #expect(throws: RegistryError.self, "the first \(count) bytes") { try read(Array(bytes.prefix(count))) }
        }
    }

    @Test(
        arguments: [
            Damage(field: "version", index: 0, value: 2), Damage(field: "flags", index: 1, value: 4),
            Damage(field: "position", index: 34, value: 0xff), Damage(field: "initial state", index: 58, value: 9),
        ])
    func `a row with an impossible value is refused`(_ damage: Damage) throws {
        var bytes = try Self.record.bytes
        bytes[damage.index] = damage.value
        #expect(throws: RegistryError.self) { try read(bytes) }
    }

    @Test func `a directory with live members is not served alone`() throws {
        let scratch = RegistryDirectory()
        try scratch.open().close()
        let record = try Self.record
        try scratch.edit { environment, tables in
            try environment.write { try tables.meta.putReplicaRecord(record, in: &$0) }
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
