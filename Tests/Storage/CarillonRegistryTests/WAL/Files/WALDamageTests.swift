import CarillonCore
import Foundation
import Testing

@testable import CarillonRegistry

/// Damage of a log, which is told from its end.
struct WALDamageTests {
    private let directory = WALTestDirectory()
    /// Offsets of bytes in a record, with the field that each belongs to.
    private static let bytesOfFields = [
        ("byte count", 0), ("byte count", 3), ("zero", 4), ("hash", 9), ("secret", 24), ("secret", 31), ("LSN", 39),
        ("state", 50), ("durable commit", 60),
    ]

    /// Makes five records, each with a change that the database does not have.
    @discardableResult
    private func fiveRecords() throws -> Data {
        let writer = try directory.openPrepared()
        for token in 1...5 as ClosedRange<UInt8> { _ = try writer.append(frames(token)) }
        return try directory.contents()
    }

    private func refusal(after lsn: UInt64 = 0, state: UUIDBytes? = nil) throws -> String {
        let error = #expect(throws: RegistryError.self) { try directory.replayed(after: lsn, state: state) }
        return error.map { "\($0)" } ?? ""
    }

    @Test(arguments: 0..<4) func `an unreadable record before newer ones is damage`(record: Int) throws {
        let whole = try fiveRecords()
        for bit in 0..<8 {
            for (field, byte) in Self.bytesOfFields {
                var damaged = whole
                damaged[WALRecord.alignment * (record + 1) + byte] ^= 1 << bit
                try damaged.write(to: directory.file)
                let sentence = try refusal()
                #expect(sentence.contains("record \(record + 1) cannot be read"), "\(field), byte \(byte), bit \(bit)")
                #expect(sentence.contains("the records \(record + 1) to 5; \(4 - record) of them"), "\(sentence)")
                #expect(sentence.contains("with \(4 - record) changes"))
                #expect(sentence.contains("carillon-dump log --cut"))
            }
        }
    }

    @Test(arguments: [512, WALRecord.alignment, 2 * WALRecord.alignment])
    func `zeroed sectors are damage`(bytes: Int) throws {
        var damaged = try fiveRecords()
        let second = 2 * WALRecord.alignment
        damaged.replaceSubrange(second..<second + bytes, with: Data(count: bytes))
        try damaged.write(to: directory.file)
        #expect(try refusal().contains("record 2 cannot be read"))
    }

    @Test func `a damaged last record is the end of the log`() throws {
        var damaged = try fiveRecords()
        damaged[damaged.count - 1] ^= 1
        try damaged.write(to: directory.file)
        #expect(try directory.replayed() == [[1], [2], [3], [4]])
    }

    /// They are committed: nothing is lost.
    @Test func `damaged records that the database has do not matter`() throws {
        var damaged = try fiveRecords()
        damaged[2 * WALRecord.alignment + 50] ^= 1
        try damaged.write(to: directory.file)
        #expect(try directory.replayed(after: 5) == [])
        let state = try directory.state(ofRecord: 3)
        #expect(try directory.replayed(after: 3, state: state) == [[4], [5]])
    }

    @Test func `a changed bit of the header is damage`() throws {
        let whole = try fiveRecords()
        for byte in 0..<WALHeader.Version.current.headerBytes {
            for bit in 0..<8 {
                var damaged = whole
                damaged[byte] ^= 1 << bit
                try damaged.write(to: directory.file)
                #expect(try refusal().contains("its header cannot be read"), "byte \(byte), bit \(bit)")
            }
        }
    }

    @Test(arguments: [1, 31, 40, 55]) func `a file cut in its header is damaged`(count: Int) throws {
        try fiveRecords().prefix(count).write(to: directory.file)
        #expect(try refusal().contains("its header cannot be read"))
    }

    @Test func `a zeroed file is damaged`() throws {
        try Data(count: fiveRecords().count).write(to: directory.file)
        #expect(try refusal().contains("its header cannot be read"))
    }

    /// The database knows the secret of its log.
    @Test func `the error of a damaged header counts the readable records`() throws {
        var damaged = try fiveRecords()
        let secret = damaged[24..<32].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        damaged[3] ^= 1
        try damaged.write(to: directory.file)
        let stored = StoredWAL(position: WALPosition(lsn: 2), secret: secret)
        let error = #expect(throws: RegistryError.self) { try directory.open(stored: stored) }
        #expect("\(try #require(error))".contains("the records 3 to 5; 3 of them can be read, with 3 changes"))
    }

    @Test func `the log of another registry is refused if it has records`() throws {
        try fiveRecords()
        let error = #expect(throws: RegistryError.self) { try directory.open(epoch: UUIDBytes(high: 9, low: 9)) }
        let sentence = "\(try #require(error))"
        #expect(sentence.contains("it belongs to another registry, with the epoch 00000000-0000-0001"), "\(sentence)")
        #expect(sentence.contains("the records 1 to 5"))
    }

    @Test func `a log that the database relies on must be there`() throws {
        let stored = StoredWAL(position: WALPosition(), secret: 77)
        for isEmpty in [false, true] {
            if isEmpty { try Data().write(to: directory.file) }
            let error = #expect(throws: RegistryError.self) { try directory.open(stored: stored) }
            #expect("\(try #require(error))".contains("it is missing"))
        }
        try fiveRecords()
        let error = #expect(throws: RegistryError.self) { try directory.open(stored: stored) }
        #expect("\(try #require(error))".contains("or it is another one"))
    }

    /// An older database beside a younger log: changes between them are missing.
    @Test func `a log that does not follow is refused`() throws {
        let writer = try directory.openPrepared(after: 7)
        _ = try writer.append(frames(1))
        #expect(try refusal(after: 3).contains("it does not follow on what is stored"))
        #expect(try refusal(after: 3).contains("the records 4 to 8; 1 of them can be read"))
    }

    /// The numbers alone do not tell: between two records there may be commits without a record.
    @Test func `a log that follows another state is refused`() throws {
        let state = UUIDBytes(high: 3, low: 4)
        let writer = try directory.openPrepared(after: 7, state: state)
        _ = try writer.append(frames(1))
        _ = try writer.append(frames(2))
        #expect(try directory.replayed(after: 7, state: state) == [[1], [2]])
        #expect(try refusal(after: 7, state: UUIDBytes(high: 3, low: 5)).contains("does not follow"))
        #expect(try refusal(after: 8, state: UUIDBytes(high: 3, low: 5)).contains("does not follow"))
    }

    /// The process knows at a roll-back which record was the last: the damage of that one is no end.
    @Test func `a log that has lost its end while it is used is refused from then on`() throws {
        let writer = try directory.openPrepared()
        for token in 1...3 as ClosedRange<UInt8> { _ = try writer.append(frames(token)) }
        var damaged = try directory.contents()
        damaged[damaged.count - 1] ^= 1
        let descriptor = open(directory.file.path, O_WRONLY)
        defer { close(descriptor) }
        _ = Array(damaged).withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        let error = #expect(throws: RegistryError.self) { try writer.findMissingRecords(after: WALPosition()) }
        #expect("\(try #require(error))".contains("record 3 cannot be read"))
        #expect(try refusal().contains("the records 3 to 3"))
        // A database that contains record 3 has lost no change to the damage.
        #expect(try directory.replayed(after: 3) == [])
    }
}
