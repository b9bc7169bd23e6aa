import CarillonRegistryTestKit
import CarillonTestKit
import Testing

@testable import CarillonRegistry

/// The page Data files has each table of the database and each form of the log.
struct TablesDocumentationTests {
    private static let page = "Sources/Documentation/DataFiles.md"

    @Test func `the page lists every table`() throws {
        let scratch = RegistryDirectory()
        try scratch.open().close()
        let rows = PageTable.rows(of: Self.page, head: "| Table | Key → value |")
        let named = rows.map { $0[0].filter { $0 != "`" } }
        try scratch.edit { _, tables in #expect(named.sorted() == tables.databases.map(\.name).sorted()) }
    }

    @Test func `the page lists every form of the log`() {
        let rows = PageTable.rows(of: Self.page, head: "| Form | Contents |")
        let numbers = rows.flatMap { $0[0].split(separator: ", ").compactMap { UInt16($0) } }
        #expect(numbers == ChangeForm.allCases.map(\.rawValue))
    }

    @Test func `the page says when a checkpoint is due`() {
        let limits = LMDBRegistry.CheckpointLimits()
        let rows = PageTable.rows(of: Self.page, head: "| What waits | at most |")
        #expect(
            rows.map { $0[1] } == [
                "\(limits.logBytes >> 20) MiB", Self.grouped(limits.changedDatabasePages),
                "\(limits.delayMilliseconds / 1_000) s", "\(limits.idleCommitMilliseconds) ms",
            ])
    }

    /// Formats a number of at least 1,000 with its comma.
    private static func grouped(_ number: Int) -> String {
        "\(number / 1_000)," + String(1_000 + number % 1_000).dropFirst()
    }
}
