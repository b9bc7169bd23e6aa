import CarillonCore
import Testing

@testable import CarillonRegistry

/// Bytes from the disk are read whole or refused, whatever they are.
struct ByteReaderTests {
    private enum Lane: UInt8 { case bulk = 1 }

    /// Returns what `body` reads of the bytes, in words, or the reason of a refusal.
    private func read<R>(_ bytes: [UInt8], _ body: (inout ByteReader) throws -> R) -> String {
        do {
            return "\(try ByteReader.read(bytes.span, of: "rows", body))"
        } catch RegistryError.corrupted(let text) {
            return text
        } catch {
            return "\(error)"
        }
    }

    @Test(
        arguments: [
            ([0x12, 0x34], "4660"), ([0x12], "rows: ends too early"), ([], "rows: ends too early"),
            ([0x12, 0x34, 0], "rows: bytes left over"),
        ] as [([UInt8], String)])
    func `a number has all its bytes and no more`(bytes: [UInt8], expected: String) {
        #expect(read(bytes) { try $0.number(UInt16.self) } == expected)
    }

    @Test(arguments: [0, 1, 2, 3, -1, .max, .min]) func `a reader takes no more bytes than there are`(count: Int) {
        let taken = read([7, 8]) { reader in
            let count = try reader.take(count).count
            _ = try reader.take(reader.remaining)
            return count
        }
        #expect(taken == ((0...2).contains(count) ? "\(count)" : "rows: ends too early"))
    }

    /// Seven bits a byte, the lowest first: at most ten bytes; the last has one bit.
    @Test(
        arguments: [
            ([0x00], "0"), ([0x7F], "127"), ([0x80, 0x01], "128"), ([0x80], "rows: ends too early"),
            (Array(repeating: 0xFF, count: 9) + [0x01], "\(UInt64.max)"),
            (Array(repeating: 0xFF, count: 9) + [0x02], "rows: a number too long"),
            (Array(repeating: 0xFF, count: 9) + [0x81, 0x00], "rows: a number too long"),
            (Array(repeating: 0xFF, count: 20), "rows: a number too long"),
        ] as [([UInt8], String)])
    func `a varint of more than 64 bits is refused`(bytes: [UInt8], expected: String) {
        #expect(read(bytes) { try $0.varint() } == expected)
    }

    @Test(
        arguments: [
            ([0], "none"), ([2, 0x64, 0x65], "de"), ([2, 0xC3, 0xA9], "é"), ([2, 0xC3, 0x28], "rows: not UTF-8"),
            ([1, 0xC3], "rows: not UTF-8"), ([3, 0x64, 0x65], "rows: ends too early"),
        ] as [([UInt8], String)])
    func `a text must be UTF-8 and as long as it says`(bytes: [UInt8], expected: String) {
        #expect(read(bytes) { try $0.text() ?? "none" } == expected)
    }

    @Test func `a value without a meaning is refused`() {
        #expect(read([1]) { try $0.value(Lane.self).rawValue } == "1")
        #expect(read([2]) { try $0.value(Lane.self).rawValue } == "rows: an unknown number")
        #expect(read([]) { try $0.tokenToEnd() } == "rows: an invalid token")
        #expect(read([0]) { try $0.token() } == "rows: an invalid token")
        #expect(read([4, 1]) { try $0.token() } == "rows: ends too early")
    }

    @Test(arguments: [(0, false), (1, true), (3, true), (4, false)] as [(UInt8, Bool)])
    func `a later version is refused`(version: UInt8, isKnown: Bool) {
        #expect(read([version]) { try $0.version(upTo: 3) } == (isKnown ? "\(version)" : "rows: an unknown version"))
        #expect(read([version]) { try $0.version(version == 0 ? 1 : 0) } == "rows: an unknown version")
    }

    @Test(arguments: [
        (limit: 0, skipped: 0), (limit: 2, skipped: 2), (limit: 9, skipped: 3), (limit: -1, skipped: 0),
    ]) func `only equal bytes are skipped`(limit: Int, skipped: Int) {
        let found = read([5, 5, 5, 6]) { reader in
            let count = reader.skip(5, atMost: limit)
            _ = try reader.take(reader.remaining)
            return count
        }
        #expect(found == "\(skipped)")
    }
}
