import Foundation

/// Reads a file in pieces of whole lines; `-` is standard input.
struct LineReader {
    /// Some lines that follow each other.
    struct Piece {
        /// The number of the first line, from 1.
        var firstLine: Int
        /// How many lines.
        var count = 0
        /// The lines, each but perhaps the last with its end. Of a line that is longer than it may be only the beginning.
        var bytes: [UInt8] = []
        /// Bytes of the file up to the end of the piece.
        var end: UInt64
    }

    /// Bytes after which a piece ends with the line.
    private static let pieceByteCount = 1 << 20

    private let file: FileHandle
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false
    /// Bytes read.
    private(set) var offset: UInt64 = 0
    /// Lines read.
    private(set) var lines = 0
    /// The length of the file in bytes; nil if it is no plain file.
    let length: UInt64?

    init?(path: String) {
        guard path != "-" else {
            (file, length) = (.standardInput, nil)
            return
        }
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        self.file = file
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        let isPlain = attributes?[.type] as? FileAttributeType == .typeRegular
        length = isPlain ? (attributes?[.size] as? NSNumber)?.uint64Value : nil
    }

    /// Goes on at a byte that begins a line, after so many lines.
    mutating func skip(to offset: UInt64, lines: Int) throws {
        try file.seek(toOffset: offset)
        (buffer, position, self.offset, self.lines) = ([], 0, offset, lines)
    }

    /// The next lines, at most `limit`; nothing after the last.
    mutating func next(_ limit: Int) throws -> Piece? {
        var piece = Piece(firstLine: lines + 1, end: offset)
        var start = 0
        while piece.count < limit, piece.bytes.count < Self.pieceByteCount || start < piece.bytes.count, try fill() {
            let rest = buffer[position...]
            let end = rest.firstIndex(of: 0x0A)
            let part = rest[..<(end ?? rest.endIndex)]
            let room = RegistrationLine.byteLimit + 1 - (piece.bytes.count - start)
            piece.bytes += part.prefix(max(room, 0))
            position += part.count
            offset += UInt64(part.count)
            guard end != nil else { continue }
            position += 1
            offset += 1
            piece.bytes.append(0x0A)
            piece.count += 1
            start = piece.bytes.count
        }
        if start < piece.bytes.count { piece.count += 1 }
        lines += piece.count
        piece.end = offset
        return piece.count == 0 ? nil : piece
    }

    /// Reads more if everything was handed out; answers whether there is anything.
    private mutating func fill() throws -> Bool {
        guard position == buffer.count, !isAtEnd else { return position < buffer.count }
        buffer = try file.read(upToCount: 1 << 20).map { Array($0) } ?? []
        position = 0
        isAtEnd = buffer.isEmpty
        // The mark of UTF-8 that some programs put before everything else.
        if offset == 0, buffer.starts(with: [0xEF, 0xBB, 0xBF]) {
            position = 3
            offset = 3
        }
        return position < buffer.count
    }
}
