import CarillonCommandLine
import CarillonRegistry
import CarillonTLS
import Foundation

/// A reader of an export. The export is valid only if the last line matches the header and the digest.
struct ArchiveReader: ~Copyable {
    let path: String
    let header: ArchiveHeader
    private var lines: FileLines
    private var digest = SHA256.Stream()
    private(set) var readCounts = ArchiveCounts()

    /// Opens a file and reads its first line.
    init(path: String) throws(CommandError) {
        try self.init(path: path, file: InputFile.open(path))
    }

    /// Reads the first line of an open file, whose path is `path`.
    init(path: String, file: FileHandle) throws(CommandError) {
        self.path = path
        var lines = try FileLines(path: path, file: file)
        guard let first = try lines.next() else { throw .refused("\(path) is empty") }
        do throws(ArchiveError) {
            header = try ArchiveHeader(firstLine: ArchiveLine(first))
        } catch {
            throw .refused("\(path) is not an export: \(error.message)")
        }
        self.lines = lines
    }

    /// Reads the next row; nil after the last row, if the last line and the digest are right.
    mutating func next() throws(CommandError) -> ArchiveRow? {
        guard let bytes = try lines.next() else {
            throw .refused("\(path) is incomplete: it ends after line \(lines.lineCount)")
        }
        let row: ArchiveRow?
        do throws(ArchiveError) {
            row = try readRow(bytes)
        } catch {
            throw .refused("\(path), line \(lines.lineCount): \(error.message)")
        }
        if row == nil, try lines.next() != nil { throw .refused("\(path) has lines after its last") }
        return row
    }

    private mutating func readRow(_ bytes: [UInt8]) throws(ArchiveError) -> ArchiveRow? {
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
        case .group: readCounts.groups += 1
        case .device: readCounts.devices += 1
        case .tombstone: readCounts.tombstones += 1
        }
    }

    private mutating func finish(_ line: ArchiveLine) throws(ArchiveError) {
        let expected = try header.digest(lastLine: line)
        guard readCounts == header.counts else {
            throw ArchiveError("\(header.counts.total) rows were written, \(readCounts.total) are in the file")
        }
        var digest = SHA256.Stream()
        swap(&digest, &self.digest)
        guard digest.finish() == expected else { throw ArchiveError("the checksum does not match the rows") }
    }
}
