import CarillonCommandLine
import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import CarillonTestKit
import Foundation
import Testing

@testable import carillon_dump

// One after another: `CleanupOnExit` is state of the process without a lock, because a command has one thread.
/// Reading an export, which is refused with a reason if it is not whole.
@Suite(.serialized)
struct ArchiveReaderTests {
    private static let app = TestApps.game

    static let rows: [ArchiveRow] = {
        var group = ArchivedGroup(name: "user/1")
        group.isMuted = true
        group.topics = ["level5"]
        var plain = ArchivedDevice(
            device: DeviceRecord(
                id: deviceID(1), address: archivedAddress(1), registeredAt: Timestamp(milliseconds: 5),
                seenAt: Timestamp(milliseconds: 4), state: .active))
        plain.groups = [group.name]
        var full = plain
        full.device.id = deviceID(2)
        full.device.address = archivedAddress(2, environment: .sandbox, kind: .voip)
        full.device.state = .quarantined
        full.device.locale = "zh-Hant-TW"
        full.device.timeZone = "Asia/Taipei"
        full.device.isMuted = true
        // Why try?: missing attributes would fail the comparison below.
        try? full.device.attributes.merge([AttributeChange(key: "tier", value: "gold+")!])
        full.topics = ["a", "b"]
        full.quarantinedAt = Timestamp(milliseconds: 9)
        full.silentPushes = [Timestamp(milliseconds: 6), Timestamp(milliseconds: 7)]
        let tombstone = ArchivedTombstone(
            address: archivedAddress(3), unregisteredAt: Timestamp(milliseconds: 1),
            writtenAt: Timestamp(milliseconds: 2))
        return [.group(group), .device(plain), .device(full), .tombstone(tombstone)]
    }()

    private static func archivedAddress(
        _ token: UInt8, environment: APNsEnvironment = .production, kind: TokenKind = .device
    ) -> DeviceAddress {
        DeviceAddress(environment: environment, kind: kind, token: DeviceToken([token, 0xFF])!)
    }

    /// A temporary file, which is removed at the end: it takes the place of the directory.
    private typealias File = TemporaryDirectory

    @Test func `an export is read as it was written`() throws {
        let file = File()
        try write(file)
        #expect(try read(file.path) == Self.rows)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(throws: CommandError.self) { try write(file) }
    }

    @Test func `two exports to one name leave one whole file`() throws {
        let file = File()
        let (first, second) = (try OutputFile(path: file.path), try OutputFile(path: file.path))
        try first.write([1, 1])
        try second.write([2])
        try second.finish()
        #expect(throws: CommandError.self) { try first.finish() }
        #expect(FileManager.default.contents(atPath: file.path) == Data([2]))
    }

    private func write(_ file: File) throws {
        var counts = ArchiveCounts()
        (counts.groups, counts.devices, counts.tombstones) = (1, 2, 1)
        let header = ArchiveHeader(
            app: Self.app, nextDevice: deviceID(3), counts: counts, exportedAt: Timestamp(milliseconds: 10))
        var writer = try ArchiveWriter(header, to: OutputFile(path: file.path))
        for row in Self.rows { try writer.append(row) }
        #expect(!FileManager.default.fileExists(atPath: file.path), "it has no name before it is whole")
        try writer.finish()
    }

    private func read(_ path: String) throws -> [ArchiveRow] {
        var reader = try ArchiveReader(path: path)
        var rows: [ArchiveRow] = []
        while let row = try reader.next() { rows.append(row) }
        return rows
    }

    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let says: String
        let apply: @Sendable (inout [String]) -> Void
    }

    /// The damages, by line. The last of 7 lines is empty: it follows the last end of a line.
    static let damages = [
        Damage(testDescription: "nothing", says: "is empty") { $0 = [""] },
        Damage(testDescription: "no export", says: "is not an export") { $0[0] = #"{"a":1}"# },
        Damage(testDescription: "no JSON", says: "is not an export") { $0[0] = "hello" },
        Damage(testDescription: "a later version", says: "version 2") {
            $0[0] = $0[0].replacingOccurrences(of: #""carillon_export":1"#, with: #""carillon_export":2"#)
        },
        Damage(testDescription: "the last line is missing", says: "incomplete") { $0.remove(at: 5) },
        Damage(testDescription: "the last line is cut off", says: "cut off") {
            $0 = Array($0.prefix(5)) + [String($0[5].prefix(9))]
        },
        Damage(testDescription: "a row is missing", says: "4 rows were written, 3 are in the file") {
            $0.remove(at: 2)
        },
        Damage(testDescription: "a row is there twice", says: "4 rows were written, 5 are in the file") {
            $0.insert($0[2], at: 2)
        },
        Damage(testDescription: "another token", says: "checksum") {
            $0[2] = $0[2].replacingOccurrences(of: "01ff", with: "02ff")
        },
        Damage(testDescription: "rows in another order", says: "checksum") { $0.swapAt(2, 3) },
        Damage(testDescription: "the first and the last line differ", says: "its last line contradicts its first") {
            $0[0] = $0[0].replacingOccurrences(of: #""next_device":3"#, with: #""next_device":4"#)
        },
        Damage(testDescription: "lines after the last", says: "after its last") { $0.insert($0[2], at: 6) },
        Damage(testDescription: "a row of another kind", says: "line 3: neither") { $0[2] = "{}" },
        Damage(testDescription: "a device without a token", says: "line 3: token") {
            $0[2] = $0[2].replacingOccurrences(of: #""token":"01ff","#, with: "")
        },
        Damage(testDescription: "a group that is not a name", says: "line 3: groups has a value") {
            $0[2] = $0[2].replacingOccurrences(of: #"["user/1"]"#, with: #"["/user"]"#)
        },
        Damage(testDescription: "a negative number", says: "line 3: device is missing or not a number") {
            $0[2] = $0[2].replacingOccurrences(of: #""device":1"#, with: #""device":-1"#)
        },
    ]

    @Test(arguments: damages)
    func `a damaged export is refused with the damage`(_ damage: Damage) throws {
        let file = File()
        try write(file)
        var lines = try String(contentsOfFile: file.path, encoding: .utf8).components(separatedBy: "\n")
        try #require(lines.count == 7)
        damage.apply(&lines)
        try lines.joined(separator: "\n").write(toFile: file.path, atomically: true, encoding: .utf8)
        let failure = try #require(throws: CommandError.self) { try read(file.path) }
        #expect(failure.status == .refused)
        #expect(failure.message.contains(damage.says), "\(failure.message)")
    }

    @Test func `a line without an end is refused soon`() throws {
        let file = File()
        try Data(repeating: 0x20, count: ArchiveLine.maximumBytes + 2).write(to: URL(fileURLWithPath: file.path))
        let failure = try #require(throws: CommandError.self) { try read(file.path) }
        #expect(failure.message.contains("too long"))
    }
}
