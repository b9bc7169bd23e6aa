import CarillonCommandLine
import CarillonRegistry
import CarillonTLS

/// A writer of an export. The file gets its name only when all of it is on the disk.
struct ArchiveWriter: ~Copyable {
    private let header: ArchiveHeader
    private let output: OutputFile
    private var digest = SHA256.Stream()
    private var buffer: [UInt8] = []
    private(set) var writtenCounts = ArchiveCounts()

    /// Writes the first line.
    init(_ header: ArchiveHeader, to output: OutputFile) throws(CommandError) {
        self.header = header
        self.output = output
        try output.write(Array((header.firstLine.line + "\n").utf8))
    }

    mutating func append(_ row: ArchiveRow) throws(CommandError) {
        switch row {
        case .group: writtenCounts.groups += 1
        case .device: writtenCounts.devices += 1
        case .tombstone: writtenCounts.tombstones += 1
        }
        buffer.append(contentsOf: row.json.line.utf8)
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= 1 << 18 { try flush() }
    }

    private mutating func flush() throws(CommandError) {
        digest.append(buffer)
        try output.write(buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes the last line and syncs the file.
    consuming func finish() throws(CommandError) {
        try flush()
        guard writtenCounts == header.counts else {
            throw .damaged("rows are missing: \(header.counts.total) were counted and \(writtenCounts.total) found")
        }
        try output.write(Array((header.lastLine(digest: digest.finish()).line + "\n").utf8))
        try output.finish()
    }
}
