import ArgumentParser
import CarillonCommandLine
import CarillonCore
import CarillonTestKit
import Foundation
import Testing

@testable import carillon

/// The pieces of whole lines in which a file is read, however long a line is.
struct LineReaderTests {
    private let directory = TemporaryDirectory()

    private func readPieces(_ bytes: [UInt8], limit: Int) throws -> [LineReader.Piece] {
        var reader = try LineReader(path: directory.write(bytes))
        #expect(reader.length == UInt64(bytes.count))
        var pieces: [LineReader.Piece] = []
        while let piece = try reader.next(limit) { pieces.append(piece) }
        return pieces
    }

    @Test(arguments: [
        ("", []), ("a", ["a"]), ("a\nb\n", ["a\nb\n"]), ("a\nb\nc", ["a\nb\n", "c"]), ("\n\n\n", ["\n\n", "\n"]),
        ("\u{FEFF}a\n", ["a\n"]),
    ])
    func `a piece has at most the lines of the limit`(text: String, expected: [String]) throws {
        let pieces = try readPieces(Array(text.utf8), limit: 2)
        #expect(pieces.map { String(decoding: $0.bytes, as: UTF8.self) } == expected)
        #expect(pieces.last.map { $0.endOffset == UInt64(text.utf8.count) } ?? text.isEmpty)
        #expect(pieces.enumerated().allSatisfy { $0.element.firstLine == 2 * $0.offset + 1 })
    }

    @Test func `only the beginning of a line that is too long is kept`() throws {
        let long = [UInt8](repeating: 0x78, count: 5 << 20)
        let pieces = try readPieces([0x61, 0x0A] + long + [0x0A, 0x62, 0x0A], limit: 1_000)
        #expect(pieces.map(\.lineCount) == [3])
        #expect(pieces[0].bytes.count == 2 + RegistrationLine.maximumBytes + 1 + 1 + 2)
        #expect(pieces[0].endOffset == UInt64(long.count + 5))
    }

    @Test func `a piece ends with a line when it is large`() throws {
        let line = [UInt8](repeating: 0x78, count: 60_000) + [0x0A]
        let pieces = try readPieces(Array(repeatElement(line, count: 100).joined()), limit: 1_000)
        #expect(pieces.allSatisfy { $0.bytes.count <= (1 << 20) + 60_001 })
        #expect(pieces.allSatisfy { $0.bytes.last == 0x0A })
        #expect(pieces.map(\.lineCount).reduce(0, +) == 100)
    }

    @Test func `a reader continues at an offset`() throws {
        let file = try directory.write("a\nbb\nc\n")
        var reader = try LineReader(path: file)
        let first = try #require(try reader.next(2))
        var again = try LineReader(path: file)
        try again.skip(to: first.endOffset, lines: first.lineCount)
        let rest = try #require(try again.next(9))
        #expect(rest.bytes == Array("c\n".utf8))
        #expect(rest.firstLine == 3)
    }
}
