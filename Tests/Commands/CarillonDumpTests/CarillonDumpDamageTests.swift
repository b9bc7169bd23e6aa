import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import CarillonTestKit
import Foundation
import Testing

/// The damages of a file, which are reported, never skipped in silence.
struct CarillonDumpDamageTests {
    /// A damage, by its name.
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Damages the bytes of the file.
        let corrupt: @Sendable (inout Data) -> Void
    }

    /// The size of a page of the database.
    private static let blockBytes = 4_096
    /// The exit status of a program that has found something.
    private static let hasFindings: Int32 = 1
    /// The exit status of a program that cannot read the file.
    private static let cannotRead: Int32 = 6

    static let damages = [
        Damage(testDescription: "half of it is missing") { $0 = $0.prefix($0.count / 2) },
        Damage(testDescription: "its last page is missing") { $0 = $0.prefix($0.count - blockBytes) },
        Damage(testDescription: "there is nothing") { $0 = Data() },
        Damage(testDescription: "it is something else") { $0 = Data(repeating: 0x41, count: $0.count) },
        Damage(testDescription: "a page is empty") { data in
            data.replaceSubrange(blockBytes * 4..<blockBytes * 5, with: Data(count: blockBytes))
        },
        Damage(testDescription: "a page has the bytes of another") { data in
            data.replaceSubrange(blockBytes * 4..<blockBytes * 5, with: data[blockBytes * 7..<blockBytes * 8])
        },
        Damage(testDescription: "pages are noise") { data in
            for index in blockBytes * 2..<data.count { data[index] = UInt8(truncatingIfNeeded: index &* 31) }
        },
    ]

    @Test(arguments: damages)
    func verifyReportsADamagedFileAndRestoreRefusesIt(_ damage: Damage) throws {
        let scratch = RegistryDirectory()
        let registry = try scratch.openWithoutCheckpoints()
        for token: UInt8 in 1...200 {
            try registry.apply(.register(token, topics: ["level5"], groups: ["user/\(token)"]))
        }
        let (copies, restored) = (TemporaryDirectory(), TemporaryDirectory())
        let copy = copies.path
        try registry.copy(to: copy, compacting: true)
        #expect(try DumpCommand.run("verify", "--data", copy).status == 0)
        let file = URL(fileURLWithPath: copy + "/data.mdb")
        var data = try Data(contentsOf: file)
        damage.corrupt(&data)
        try data.write(to: file)
        let command = try DumpCommand.run("verify", "--data", copy)
        // A page that no table needs at once is found later than the others.
        #expect([Self.cannotRead, Self.hasFindings].contains(command.status), "\(command)")
        #expect(!command.output.contains("sound"))
        // Findings are output. A file that cannot be read is an error, which LMDB or the command prints.
        #expect(!(command.status == Self.hasFindings ? command.output : command.standardError).isEmpty)
        let restoring = try DumpCommand.run("restore", copy, restored.path)
        #expect([Self.hasFindings, Self.cannotRead].contains(restoring.status), "\(restoring)")
        #expect(!FileManager.default.fileExists(atPath: restored.path))
    }
}
