import CarillonCommandLine
import Foundation

/// The lines of a file, without their line breaks, each of limited length.
struct FileLines {
    private let path: String
    private let file: FileHandle
    private var buffer: [UInt8] = []
    private var position = 0
    private(set) var lineCount = 0

    /// Begins to read `file`, whose path is `path`, from its beginning.
    init(path: String, file: FileHandle) throws(CommandError) {
        do {
            try file.seek(toOffset: 0)
        } catch {
            throw .unusable("\(path) cannot be read: it is not a plain file")
        }
        self.path = path
        self.file = file
    }

    /// Reads the next line; nil at the end of the file.
    mutating func next() throws(CommandError) -> [UInt8]? {
        var line: [UInt8] = []
        while try fill() {
            let remainder = buffer[position...]
            let end = remainder.firstIndex(of: UInt8(ascii: "\n"))
            line += remainder[..<(end ?? remainder.endIndex)]
            guard line.count <= ArchiveLine.maximumBytes else {
                throw .refused("\(path), line \(lineCount + 1): too long")
            }
            position = end.map { $0 + 1 } ?? buffer.endIndex
            guard end != nil else { continue }
            lineCount += 1
            return line
        }
        // A last line without a line break is cut off.
        guard line.isEmpty else { throw .refused("\(path) is incomplete: line \(lineCount + 1) is cut off") }
        return nil
    }

    private mutating func fill() throws(CommandError) -> Bool {
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
