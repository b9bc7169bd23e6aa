import CarillonCore
import CarillonRegistry
import CarillonTLS
import Foundation

/// Reads an export from end to end, and believes it only when its last line is as it must be.
struct ArchiveReader: ~Copyable {
    let path: String
    /// What the first line says.
    let header: ArchiveHeader
    private var lines: FileLines
    private var digest = SHA256.Stream()
    private(set) var read = ArchiveCounts()

    /// Reads the first line.
    init(path: String) throws(Failure) {
        self.path = path
        var lines = try FileLines(path: path)
        guard let first = try lines.next() else { throw .refused("\(path) is empty") }
        do throws(ArchiveFault) {
            header = try ArchiveHeader(first: ArchiveLine(first))
        } catch {
            throw .refused("\(path) is no export: \(error.message)")
        }
        self.lines = lines
    }

    /// The next row; nothing after the last, when the last line and the digest are right.
    mutating func next() throws(Failure) -> ArchiveRow? {
        guard let bytes = try lines.next() else {
            throw .refused("\(path) is not whole: it ends after line \(lines.count)")
        }
        let row: ArchiveRow?
        do throws(ArchiveFault) {
            row = try self.row(bytes)
        } catch {
            throw .refused("\(path), line \(lines.count): \(error.message)")
        }
        if row == nil, try lines.next() != nil { throw .refused("\(path) has lines behind its last") }
        return row
    }

    private mutating func row(_ bytes: [UInt8]) throws(ArchiveFault) -> ArchiveRow? {
        let line = try ArchiveLine(bytes)
        guard !line.has("end") else {
            try finish(line)
            return nil
        }
        digest.append(bytes)
        digest.append([UInt8(ascii: "\n")])
        let row = try ArchiveRow(line)
        count(row)
        return row
    }

    private mutating func count(_ row: ArchiveRow) {
        switch row {
        case .group: read.groups += 1
        case .device: read.devices += 1
        case .tombstone: read.tombstones += 1
        }
    }

    private mutating func finish(_ line: ArchiveLine) throws(ArchiveFault) {
        let expected = try header.digest(last: line)
        guard read == header.counts else {
            throw ArchiveFault("\(header.counts.total) rows were written, \(read.total) are there")
        }
        var digest = SHA256.Stream()
        swap(&digest, &self.digest)
        guard digest.finish() == expected else { throw ArchiveFault("the checksum is not that of the rows") }
    }
}

/// The lines of a file, without their ends, each bounded.
struct FileLines {
    private let path: String
    private let file: FileHandle
    private var buffer: [UInt8] = []
    private var position = 0
    /// Lines read.
    private(set) var count = 0

    init(path: String) throws(Failure) {
        guard let file = FileHandle(forReadingAtPath: path) else { throw .unusable("\(path) cannot be read") }
        self.file = file
        self.path = path
    }

    /// The next line; nothing at the end of the file.
    mutating func next() throws(Failure) -> [UInt8]? {
        var line: [UInt8] = []
        while try fill() {
            let rest = buffer[position...]
            let end = rest.firstIndex(of: UInt8(ascii: "\n"))
            line += rest[..<(end ?? rest.endIndex)]
            guard line.count <= ArchiveLine.byteLimit else { throw .refused("\(path), line \(count + 1): too long") }
            position = end.map { $0 + 1 } ?? buffer.endIndex
            guard end != nil else { continue }
            count += 1
            return line
        }
        // A last line that is cut off has no end.
        guard line.isEmpty else { throw .refused("\(path) is not whole: line \(count + 1) is cut off") }
        return nil
    }

    private mutating func fill() throws(Failure) -> Bool {
        guard position == buffer.count else { return true }
        do {
            buffer = Array(try file.read(upToCount: 1 << 20) ?? Data())
        } catch {
            throw .damaged("\(path) cannot be read: \(error.localizedDescription)")
        }
        position = 0
        return !buffer.isEmpty
    }
}
