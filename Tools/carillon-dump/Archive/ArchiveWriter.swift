import CarillonCommandLine
import CarillonCore
import CarillonRegistry
import CarillonTLS
import Foundation

/// Writes an export: a file has its name when all of it is on the disk, and not before.
struct ArchiveWriter: ~Copyable {
    private let header: ArchiveHeader
    private let output: OutputFile
    private var digest = SHA256.Stream()
    private var buffer: [UInt8] = []
    private(set) var written = ArchiveCounts()

    /// Begins with the first line.
    init(_ header: ArchiveHeader, to output: OutputFile) throws(Failure) {
        self.header = header
        self.output = output
        try output.write(Array((header.first.line + "\n").utf8))
    }

    /// Writes a row.
    mutating func append(_ row: ArchiveRow) throws(Failure) {
        switch row {
        case .group: written.groups += 1
        case .device: written.devices += 1
        case .tombstone: written.tombstones += 1
        }
        buffer.append(contentsOf: row.json.line.utf8)
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= 1 << 18 { try flush() }
    }

    private mutating func flush() throws(Failure) {
        digest.append(buffer)
        try output.write(buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes the last line, and the file to the disk.
    consuming func finish() throws(Failure) {
        try flush()
        guard written == header.counts else {
            throw .damaged("rows are missing: \(header.counts.total) were counted and \(written.total) met")
        }
        try output.write(Array((header.last(digest: digest.finish()).line + "\n").utf8))
        try output.finish()
    }
}

/// A file that is made beside its place and then moved there, for its owner alone; or standard output, as `-`.
final class OutputFile {
    private let path: String
    private let descriptor: CInt
    /// Its name until it is whole: one of its own, whoever else writes to the same place.
    private let unfinishedPath: String
    private var isUnfinished: Bool

    /// Begins the file; one of that name must not be there.
    init(path: String) throws(Failure) {
        self.path = path
        guard path != "-" else {
            (descriptor, unfinishedPath, isUnfinished) = (STDOUT_FILENO, "", false)
            return
        }
        guard access(path, F_OK) != 0 else { throw .unusable("\(path) is there already; nothing is written over it") }
        var template = Array("\(path).unfinished-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        unfinishedPath = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        isUnfinished = descriptor >= 0
        guard isUnfinished else { throw .system("cannot be made", path) }
        Leftovers.note(output: unfinishedPath)
        guard fchmod(descriptor, 0o600) == 0 else { throw .system("cannot be made", path) }
    }

    deinit {
        guard path != "-" else { return }
        if descriptor >= 0 { close(descriptor) }
        if isUnfinished { removeUnfinished() }
    }

    /// Writes all of `bytes`.
    func write(_ bytes: [UInt8]) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw .system("cannot be written", path == "-" ? "standard output" : path) }
            rest = rest.dropFirst(count)
        }
    }

    /// Gives the file its name, when it is on the disk, and puts the name there.
    func finish() throws(Failure) {
        guard isUnfinished else { return }
        guard fsync(descriptor) == 0 else { throw .system("cannot be written to the disk", path) }
        guard link(unfinishedPath, path) == 0 else { throw .system("cannot be given its name", path) }
        removeUnfinished()
        let directory = URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent()
        try DataDirectory(path: directory.path).sync()
    }

    private func removeUnfinished() {
        unlink(unfinishedPath)
        Leftovers.forgetOutput()
        isUnfinished = false
    }
}
