import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import CarillonTestKit
import Foundation
import Testing

/// The damages of a file, which are reported, never skipped in silence.
struct FileDamageTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The function that changes the bytes of the file.
        let corrupt: @Sendable (inout Data) -> Void
    }

    private static let page = 4_096

    static let cases = [
        Case(testDescription: "half of it is missing") { $0 = $0.prefix($0.count / 2) },
        Case(testDescription: "its last page is missing") { $0 = $0.prefix($0.count - page) },
        Case(testDescription: "there is nothing") { $0 = Data() },
        Case(testDescription: "it is something else") { $0 = Data(repeating: 0x41, count: $0.count) },
        Case(testDescription: "a page is empty") { data in
            data.replaceSubrange(page * 4..<page * 5, with: Data(count: page))
        },
        Case(testDescription: "a page has the bytes of another") { data in
            data.replaceSubrange(page * 4..<page * 5, with: data[page * 7..<page * 8])
        },
        Case(testDescription: "pages are noise") { data in
            for index in page * 2..<data.count { data[index] = UInt8(truncatingIfNeeded: index &* 31) }
        },
    ]

    @Test(arguments: cases)
    func verifyAndDumpReportADamagedFile(_ it: Case) throws {
        let scratch = RegistryDirectory()
        let registry = try scratch.openWithoutCheckpoints()
        for token: UInt8 in 1...200 {
            try registry.apply(.register(token, topics: ["level5"], groups: ["user/\(token)"]))
        }
        let copy = scratch.path + "-copy"
        defer { try? FileManager.default.removeItem(atPath: copy) }
        try registry.copy(to: copy, compacting: true)
        #expect(try DumpCommand.run("verify", "--data", copy).status == 0)
        let file = URL(fileURLWithPath: copy + "/data.mdb")
        var data = try Data(contentsOf: file)
        it.corrupt(&data)
        try data.write(to: file)
        let command = try DumpCommand.run("verify", "--data", copy)
        #expect(command.status == 6 || command.status == 1, "\(command)")
        #expect(!command.output.contains("sound"))
        // LMDB may have its say first.
        #expect(command.status == 1 ? !command.output.isEmpty : command.complaint.contains("carillon-dump: "))
        // Nor is anything made of it.
        let restored = try DumpCommand.run("restore", copy, scratch.path + "-restored")
        #expect(restored.status == 6 || restored.status == 1)
        #expect(!FileManager.default.fileExists(atPath: scratch.path + "-restored"))
    }
}
