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

    private static let pageBytes = 4_096

    static let damages = [
        Damage(testDescription: "half of it is missing") { $0 = $0.prefix($0.count / 2) },
        Damage(testDescription: "its last page is missing") { $0 = $0.prefix($0.count - pageBytes) },
        Damage(testDescription: "there is nothing") { $0 = Data() },
        Damage(testDescription: "it is something else") { $0 = Data(repeating: 0x41, count: $0.count) },
        Damage(testDescription: "a page is empty") { data in
            data.replaceSubrange(pageBytes * 4..<pageBytes * 5, with: Data(count: pageBytes))
        },
        Damage(testDescription: "a page has the bytes of another") { data in
            data.replaceSubrange(pageBytes * 4..<pageBytes * 5, with: data[pageBytes * 7..<pageBytes * 8])
        },
        Damage(testDescription: "pages are noise") { data in
            for index in pageBytes * 2..<data.count { data[index] = UInt8(truncatingIfNeeded: index &* 31) }
        },
    ]

    @Test(arguments: damages)
    func `verify reports a damaged file, and restore refuses it`(_ damage: Damage) throws {
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
        #expect([DumpCommand.cannotRead, DumpCommand.hasFindings].contains(command.status), "\(command)")
        #expect(!command.output.contains("sound"))
        // Findings are output. The reason why a file cannot be opened is an error.
        let report = command.status == DumpCommand.hasFindings ? command.output : command.errorOutput
        #expect(!report.isEmpty, "\(command)")
        let restoring = try DumpCommand.run("restore", copy, restored.path)
        #expect([DumpCommand.hasFindings, DumpCommand.cannotRead].contains(restoring.status), "\(restoring)")
        #expect(!FileManager.default.fileExists(atPath: restored.path))
    }
}
