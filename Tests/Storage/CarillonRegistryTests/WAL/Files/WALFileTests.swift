import CarillonCore
import Foundation
import Testing

@testable import CarillonRegistry

/// The file of the write-ahead log alone.
struct WALFileTests {
    private let directory = WALTestDirectory()

    @Test func `records come back in order`() throws {
        let writer = try directory.openPrepared()
        _ = try writer.append(frames(1, 2))
        _ = try writer.append(frames(3))
        #expect(try directory.replayed() == [[1, 2], [3]])
        // Records whose changes the database contains do not come back.
        #expect(try directory.replayed(after: 1) == [[3]])
        #expect(try directory.replayed(after: 2) == [])
    }

    @Test func `records begin at sector borders`() throws {
        let writer = try directory.openPrepared()
        for token in 1...3 as ClosedRange<UInt8> { _ = try writer.append(frames(token)) }
        let bytes = try directory.contents()
        let secret = bytes[24..<32]
        let starts = stride(from: 0, to: bytes.count, by: 512).filter { start in
            bytes.count >= start + 32 && bytes[start + 24..<start + 32] == secret
        }
        #expect(starts == [0, 4_096, 8_192, 12_288])
    }

    /// A sector that is written at the moment of a power cut may be lost as a whole.
    @Test(arguments: [512, 4_096]) func `a sector that is lost while it is written costs no older record`(sector: Int)
        throws
    {
        let writer = try directory.openPrepared()
        for token in 1...4 as ClosedRange<UInt8> {
            _ = try writer.append(frames(token))
            let whole = try directory.contents()
            for start in stride(from: 4_096 * Int(token), to: whole.count, by: sector) {
                var torn = whole
                let lost = start..<min(start + sector, whole.count)
                torn.replaceSubrange(lost, with: Data(count: lost.count))
                try torn.write(to: directory.file)
                #expect(try directory.replayed().count == Int(token) - 1, "record \(token), sector at \(start)")
            }
            try whole.write(to: directory.file)
        }
    }

    /// With a new size each sync would wait for the file system's journal. The file about doubles, until it grows by
    /// 1 MiB at a time.
    @Test func `most records do not change the size of the file`() throws {
        let writer = try directory.openPrepared()
        let sizes = try (1...300).map { number in
            _ = try writer.append(frames(UInt8(number % 200)))
            return try Data(contentsOf: directory.file).count
        }
        #expect(Set(sizes).sorted() == [18, 37, 75, 151, 303].map { $0 * 4_096 })
        #expect(try directory.replayed().count == 300)
    }

    @Test func `a record is written over those that both commits contain`() throws {
        let writer = try directory.openPrepared()
        for token in 1...5 as ClosedRange<UInt8> { _ = try writer.append(frames(token)) }
        #expect(writer.byteCount == 5 * 4_096)
        writer.rotateSegments()
        #expect(writer.byteCount == 0)
        // The commit before the newest lacks records 1 to 5.
        for token in 6...7 as ClosedRange<UInt8> { _ = try writer.append(frames(token)) }
        #expect(try directory.replayed() == [[1], [2], [3], [4], [5], [6], [7]])
        #expect(try blocks() == 8)
        writer.rotateSegments()
        // Now that commit has them. So 8 to 12 take their places, and 13 goes after 6 and 7, which stay.
        for token in 8...13 as ClosedRange<UInt8> { _ = try writer.append(frames(token)) }
        #expect(try blocks() == 9)
        #expect(try directory.replayed(after: 5) == [[6], [7], [8], [9], [10], [11], [12], [13]])
        #expect(try directory.replayed(after: 7) == [[8], [9], [10], [11], [12], [13]])
    }

    /// Counts the blocks of 4,096 bytes that the file begins: the header, and one for each of these short records.
    private func blocks() throws -> Int { (try directory.contents().count + 4_095) / 4_096 }

    @Test func `committed records are removed when the log is no longer used`() throws {
        let writer = try directory.openPrepared()
        _ = try writer.append(frames(1))
        writer.rotateSegments()
        writer.rotateSegments()
        try writer.removeRecords()
        #expect(try Data(contentsOf: directory.file).count == 4_096)
        _ = try writer.append(frames(2))
        #expect(try directory.replayed(after: 1) == [[2]])
    }

    @Test func `a log continues behind its replay`() throws {
        let first = try directory.openPrepared()
        _ = try first.append(frames(1))
        let next = try directory.open()
        #expect(try next.replayed() == [[1]])
        _ = try next.append(frames(2))
        #expect(try directory.replayed() == [[1], [2]])
    }

    /// A process that ends while it appends leaves such files.
    @Test func `a record that is cut anywhere is no record`() throws {
        let writer = try directory.openPrepared()
        _ = try writer.append(frames(1))
        _ = try writer.append(frames(2, 3))
        let whole = try directory.contents()
        for count in stride(from: 8_192, to: whole.count, by: 7) {
            try whole.prefix(count).write(to: directory.file)
            #expect(try directory.replayed() == [[1]], "\(count) bytes")
        }
    }

    @Test func `a last record with a changed byte is no record`() throws {
        let writer = try directory.openPrepared()
        _ = try writer.append(frames(1))
        _ = try writer.append(frames(2))
        let whole = try directory.contents()
        for index in 8_192..<whole.count {
            var corrupt = whole
            corrupt[index] ^= 0x41
            try corrupt.write(to: directory.file)
            #expect(try directory.replayed() == [[1]], "byte \(index)")
        }
    }

    @Test func `a record that was being written is reported`() throws {
        let writer = try directory.openPrepared()
        _ = try writer.append(frames(1))
        #expect(try directory.scan().isTorn == false)
        _ = try writer.append(frames(2, 3))
        let whole = try directory.contents()
        try whole.dropLast(10).write(to: directory.file)
        let scan = try directory.scan()
        #expect(scan.recordCount == 1)
        #expect(scan.changeCount == 1)
        #expect(scan.lastLSN == 1)
        #expect(scan.isTorn)
    }

    /// A length without bytes after it takes no memory.
    @Test(arguments: [0, 15, 31, 0x7FFF_FFFF, 0xFFFF_FFFF] as [UInt32])
    func `a record of an impossible length is no record`(length: UInt32) throws {
        _ = try directory.openPrepared().append(frames(1))
        var bytes = try directory.contents()
        bytes.replaceSubrange(4_096..<4_100, with: withUnsafeBytes(of: length.bigEndian) { Array($0) })
        try bytes.write(to: directory.file)
        #expect(try directory.replayed() == [])
    }

    /// The bytes after the last record were sent by clients: a client that forges a record there does not know the
    /// secret.
    @Test func `a record in a payload of a client is no record`() throws {
        let writer = try directory.openPrepared()
        _ = try writer.append(frames(1))
        let state = try directory.scan().state!
        let whole = try directory.contents()
        let padding = Data(count: 8_192 - whole.count)
        let secret = whole[24..<32].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        for (guess, expected) in [(secret ^ 1, [[1]]), (secret, [[1], [66]])] as [(UInt64, [[UInt8]])] {
            let record = WALRecord.encode(frames(66), lsn: 2, previousState: state, durableCommit: 0, secret: guess)
            try (whole + padding + record.prefix + record.body).write(to: directory.file)
            #expect(try directory.replayed() == expected)
        }
    }

    @Test func `the empty log of another registry is replaced`() throws {
        _ = try directory.openPrepared()
        let other = UUIDBytes(high: 9, low: 9)
        let log = try directory.open(epoch: other)
        #expect(try log.replayed() == [])
        try log.prepare()
        _ = try log.append(frames(2))
        #expect(try directory.replayed(epoch: other) == [[2]])
    }

    @Test func `a reader makes no file`() throws {
        #expect(try directory.replayed() == [])
        #expect(!FileManager.default.fileExists(atPath: directory.file.path))
    }

    @Test func `a whole record that cannot be decoded is refused`() throws {
        var frames = frames(1)
        frames[7] = 0xEE
        _ = try directory.openPrepared().append(frames)
        #expect(throws: RegistryError.corrupted("data.wal: a change that cannot be read")) {
            try directory.replayed()
        }
    }

    @Test func `a log that was removed is noticed`() throws {
        let writer = try directory.openPrepared()
        #expect(try writer.append(frames(1)) == .appended)
        let moved = directory.path + "/elsewhere"
        try FileManager.default.moveItem(atPath: directory.file.path, toPath: moved)
        #expect(try writer.append(frames(2)) == .fileLost)
        try Data(contentsOf: URL(fileURLWithPath: moved)).write(to: directory.file)
        #expect(try writer.append(frames(3)) == .fileLost, "another file")
        writer.rotateSegments()
        writer.rotateSegments()
        try writer.replaceLostFile()
        let stored = writer.position
        #expect(try writer.append(frames(7)) == .appended)
        #expect(try directory.replayed(after: stored.lsn, state: stored.state) == [[7]])
    }

    @Test(arguments: ["directory", "link", "pipe"]) func `a directory, a link or a pipe in place of the log is refused`(
        kind: String
    )
        throws
    {
        switch kind {
        case "directory":
            try FileManager.default.createDirectory(at: directory.file, withIntermediateDirectories: false)
        case "link":
            try FileManager.default.createSymbolicLink(
                atPath: directory.file.path, withDestinationPath: "/etc/hostname")
        default: mkfifo(directory.file.path, 0o600)
        }
        let sentence = #expect(throws: RegistryError.self) { try directory.open() }.map { "\($0)" } ?? ""
        #expect(sentence.contains("data.wal is a directory or a"), "\(sentence)")
    }

    @Test func `records have the version and the secret of their header`() {
        let header = WALHeader(version: .two, epoch: UUIDBytes(high: 1, low: 2), secret: 7)
        #expect(header.recordFormat == WALHeader.RecordFormat(version: .two, secret: 7))
    }

    @Test func `without a header records have the version that is written`() {
        #expect(WALHeader.RecordFormat(secret: 7).version == .current)
    }
}
