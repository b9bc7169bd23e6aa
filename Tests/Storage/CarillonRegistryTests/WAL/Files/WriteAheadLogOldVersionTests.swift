import CarillonCore
import Foundation
import Testing

@testable import CarillonRegistry

/// Logs of version 1, which the program before has written.
struct WriteAheadLogOldVersionTests {
    private let directory = WALTestDirectory()

    private func log(_ records: [[UInt8]], firstLSN: UInt64 = 1) -> Data {
        OldLog(epoch: directory.epoch, secret: 0x1122_3344_5566_7788).bytes(
            records.map { tokens in tokens.reduce(into: []) { $0 += frames($1) } }, firstLSN: firstLSN)
    }

    @Test func `the records of an old log are applied`() throws {
        try log([[1, 2], [3]]).write(to: directory.file)
        #expect(try directory.replayed() == [[1, 2], [3]])
        #expect(try directory.replayed(after: 1) == [[3]])
    }

    @Test func `a torn record ends an old log`() throws {
        let whole = log([[1], [2]])
        let first = log([[1]]).count
        for count in first..<whole.count {
            try whole.prefix(count).write(to: directory.file)
            #expect(try directory.replayed() == [[1]], "\(count) bytes")
        }
    }

    @Test func `records of an earlier round end an old log`() throws {
        // The record 4 was written over the first of three.
        let old = log([[1], [2], [3]])
        let new = log([[4, 5]], firstLSN: 4)
        try (new + old.dropFirst(new.count)).write(to: directory.file)
        #expect(try directory.replayed(after: 3) == [[4, 5]])
    }

    @Test func `damage of an old log is distinguished from its end`() throws {
        let whole = log([[1], [2], [3]])
        for index in 32..<log([[1], [2]]).count {
            var damaged = whole
            damaged[index] ^= 0x10
            try damaged.write(to: directory.file)
            let error = #expect(throws: RegistryError.self, "byte \(index)") { try directory.replayed() }
            #expect("\(try #require(error))".contains("to 3;"), "byte \(index)")
        }
    }

    @Test func `a header of an old log is judged without a checksum`() throws {
        let whole = log([[1], [2], [3]])
        for index in 0..<32 {
            var damaged = whole
            damaged[index] ^= 0x10
            try damaged.write(to: directory.file)
            #expect(throws: RegistryError.self, "byte \(index)") { try directory.replayed() }
        }
    }

    /// Its making was interrupted by a power cut: nothing was answered.
    @Test(arguments: [0, 32]) func `a file of zeroes is no old log`(count: Int) throws {
        try Data(count: count).write(to: directory.file)
        let log = try directory.open()
        try log.prepare()
        _ = try log.append(frames(1))
        #expect(try directory.replayed() == [[1]])
    }

    @Test func `an old log is replaced once it is applied`() throws {
        try log([[1], [2]]).write(to: directory.file)
        let writer = try directory.open()
        #expect(try writer.replayed() == [[1], [2]])
        writer.rotateSegments()
        writer.rotateSegments()
        try writer.prepare()
        _ = try writer.append(frames(3))
        #expect(try directory.replayed(after: 2) == [[3]])
        #expect(try Data(contentsOf: directory.file).prefix(8) == Data("CRLNWAL3".utf8))
    }
}

/// A writer of logs of version 1, as the program before wrote them.
struct OldLog {
    let epoch: UUIDBytes
    let secret: UInt64

    func bytes(_ records: [[UInt8]], firstLSN: UInt64) -> Data {
        var bytes = Array("CRLNJRN1".utf8) + epoch.bytes + Self.bytes(secret)
        for (index, frames) in records.enumerated() {
            let body = Self.bytes(secret) + Self.bytes(firstLSN + UInt64(index)) + frames
            let hash = Murmur3State.hash(of: body)
            bytes += Self.bytes(UInt64(body.count) << 32) + Self.bytes(hash.high) + Self.bytes(hash.low) + body
        }
        return Data(bytes)
    }

    private static func bytes(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}
