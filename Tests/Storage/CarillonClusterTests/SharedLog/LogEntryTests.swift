import CarillonCore
import CarillonTestKit
import Testing

@testable import CarillonCluster

/// The bytes of entries: an entry that is written is read again, and other bytes are refused.
struct LogEntryTests {
    private static let member = Member(node: NodeName("node-1")!, incarnation: 7)
    private static let other = Member(node: NodeName("b")!, incarnation: 6)

    private static func entry(_ content: LogEntry.Content, format: UInt16 = 3) -> LogEntry {
        LogEntry(id: LogEntry.ID(member: member, sequence: 9), format: format, content: content)!
    }

    @Test(arguments: [
        entry(.changes([])), entry(.changes(Array(0...255))), entry(.joined), entry(.expired(other)), entry(.left),
        entry(.joined, format: .max), entry(.initialState(InitialState(kind: .empty, parameters: [])!)),
        entry(.initialState(InitialState(kind: .imported, parameters: [1, 2])!)),
    ])
    func `an entry is read as it was written`(entry: LogEntry) throws {
        #expect(try LogEntry(entry.bytes) == entry)
        #expect(entry.byteCount == entry.bytes.count)
    }

    @Test func `the bytes of an entry are the golden bytes`() {
        // A log outlives the program that wrote it.
        let bytes = Self.entry(.expired(Self.other)).bytes
        let fields =
            "0103" + "0003" + "066e6f64652d31" + "0000000000000007" + "0000000000000009" + "0162" + "0000000000000006"
        #expect(Hex.string(bytes.dropLast(16)) == fields)
        #expect(Hex.string(bytes.suffix(16)) == "8a809bf7f9ca01a0aa234ccf5198d760")
    }

    @Test func `an entry has at most 8 MiB of changes`() {
        let id = LogEntry.ID(member: Self.member, sequence: 1)
        let most = [UInt8](repeating: 1, count: LogEntry.maximumChangeBytes)
        #expect(LogEntry(id: id, format: 1, content: .changes(most)) != nil)
        #expect(LogEntry(id: id, format: 1, content: .changes(most + [1])) == nil)
    }

    @Test func `an entry that was cut or has a changed bit is refused`() {
        let bytes = Self.entry(.changes([1, 2, 3])).bytes
        for count in bytes.indices {
            #expect(throws: LogEntry.ParseError.self) { _ = try LogEntry(Array(bytes[..<count])) }
            for bit in 0..<8 {
                var changed = bytes
                changed[count] ^= 1 << bit
                #expect(throws: LogEntry.ParseError.self) { _ = try LogEntry(changed) }
            }
        }
    }

    /// Returns bytes with a checksum that is right.
    private static func sealed(_ bytes: [UInt8]) -> [UInt8] { bytes + WordHash.of(bytes[...]).bytes }

    private static let one: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]

    /// Bytes that are no entry, and the fault that is named.
    struct Refused: CustomTestStringConvertible {
        let why: String
        let bytes: [UInt8]
        let fault: LogEntry.ParseError

        var testDescription: String { why }
    }

    /// Bytes of the encoding 1 with a right checksum, which begin with a kind, the format 1 and the length of a name.
    private static func refused(
        _ why: String, kind: UInt8, name: [UInt8] = [1, 97], rest: [UInt8], _ fault: LogEntry.ParseError
    ) -> Refused {
        Refused(why: why, bytes: sealed([1, kind, 0, 1] + name + rest), fault: fault)
    }

    @Test(arguments: [
        Refused(why: "no byte", bytes: [], fault: .endsEarly),
        Refused(why: "a later encoding", bytes: [2], fault: .unknownEncoding(2)),
        refused("a later kind", kind: 6, rest: one + one, .unknownKind(6)),
        refused("an unknown initial state", kind: 5, rest: one + one + [2, 0, 0], .invalidNumber),
        refused("fewer parameters than it says", kind: 5, rest: one + one + [1, 0, 1], .endsEarly),
        refused("a name without letters", kind: 2, name: [0], rest: one + one, .invalidName),
        refused("a name that is no text", kind: 2, name: [1, 0x80], rest: one + one, .invalidName),
        refused("a name longer than the entry", kind: 2, name: [20, 97], rest: one, .endsEarly),
        refused("incarnation 0", kind: 2, rest: [0, 0, 0, 0, 0, 0, 0, 0] + one, .invalidNumber),
        refused("an incarnation beyond Int64", kind: 2, rest: [0x80, 0, 0, 0, 0, 0, 0, 0] + one, .invalidNumber),
        refused("a byte too many", kind: 2, rest: one + one + [0], .bytesLeftOver),
        refused("4 GiB of changes", kind: 1, rest: one + one + [0xFF, 0xFF, 0xFF, 0xFF], .tooLong),
        refused("fewer changes than it says", kind: 1, rest: one + one + [0, 0, 0, 1], .endsEarly),
    ])
    func `an error names the fault of the entry`(_ entry: Refused) {
        #expect(throws: entry.fault) { _ = try LogEntry(entry.bytes) }
    }

    @Test(arguments: TestSeeds.of(1...20))
    func `random bytes never trap`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let count = Int.random(in: 0...80, using: &random)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...4, using: &random) }
            if Bool.random(using: &random) { bytes = Self.sealed([1] + bytes) }
            if let entry = try? LogEntry(bytes) { #expect(entry.bytes == bytes) }
        }
    }
}
