import CarillonCommandLine
import Foundation

/// A reader of a file in pieces of whole lines; the path `-` is standard input.
struct LineReader {
    /// A piece of the file: some consecutive lines.
    struct Piece {
        /// The number of the first line, from 1.
        var firstLine: Int
        var lineCount = 0
        /// The lines with their line breaks; the last may have none. A line above the length limit is cut.
        var bytes: [UInt8] = []
        /// The offset of the end of the piece in the file.
        var endOffset: UInt64
    }

    /// The size after which a piece ends at the next line break, in bytes.
    private static let pieceByteCount = 1 << 20

    private let file: FileHandle
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false
    /// The number of bytes read so far.
    private(set) var offset: UInt64 = 0
    /// The number of lines read so far.
    private(set) var lines = 0
    /// The length of the file in bytes; nil if it is not a regular file.
    let length: UInt64?

    init(path: String) throws(CommandError) {
        file = try InputFile.open(path)
        var status = stat()
        let isPlain =
            path != "-" && fstat(file.fileDescriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        length = isPlain ? UInt64(clamping: status.st_size) : nil
    }

    /// Continues at `offset`, the start of a line, after `lines` lines.
    mutating func skip(to offset: UInt64, lines: Int) throws {
        try file.seek(toOffset: offset)
        buffer = []
        position = 0
        self.offset = offset
        self.lines = lines
    }

    /// Reads the next lines, at most `limit`; returns nil after the last.
    mutating func next(_ limit: Int) throws -> Piece? {
        var piece = Piece(firstLine: lines + 1, endOffset: offset)
        var start = 0
        while piece.lineCount < limit, piece.bytes.count < Self.pieceByteCount || start < piece.bytes.count {
            guard try fill() else { break }
            let remainder = buffer[position...]
            let end = remainder.firstIndex(of: 0x0A)
            let part = remainder[..<(end ?? remainder.endIndex)]
            let room = RegistrationLine.maximumBytes + 1 - (piece.bytes.count - start)
            piece.bytes += part.prefix(max(room, 0))
            position += part.count
            offset += UInt64(part.count)
            guard end != nil else { continue }
            position += 1
            offset += 1
            piece.bytes.append(0x0A)
            piece.lineCount += 1
            start = piece.bytes.count
        }
        if start < piece.bytes.count { piece.lineCount += 1 }
        lines += piece.lineCount
        piece.endOffset = offset
        return piece.lineCount == 0 ? nil : piece
    }

    /// Reads more if the buffer is empty; returns false at the end of the file.
    private mutating func fill() throws -> Bool {
        guard position == buffer.count, !isAtEnd else { return position < buffer.count }
        buffer = try file.read(upToCount: 1 << 20).map { Array($0) } ?? []
        position = 0
        isAtEnd = buffer.isEmpty
        // The byte order mark that some programs write.
        if offset == 0, buffer.starts(with: [0xEF, 0xBB, 0xBF]) {
            position = 3
            offset = 3
        }
        return position < buffer.count
    }
}
