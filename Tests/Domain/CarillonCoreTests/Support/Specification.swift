import CarillonTestKit
import Foundation

/// The registries of the specification, so that text and code cannot drift apart.
enum Specification {
    enum Fault: Error {
        case noTable(String)
    }

    /// Returns the rows of the first table after `heading` whose first column is called `column`; each row is its
    /// cells.
    static func table(_ heading: String, column: String) throws -> [[String]] {
        let lines = try text().split(separator: "\n", omittingEmptySubsequences: false)
        let section = lines.drop { !$0.hasPrefix(heading) }
        let table = section.drop { !$0.hasPrefix("| \(column) |") }.prefix { $0.hasPrefix("|") }
        let rows = table.dropFirst(2).map { line in
            line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
        guard !rows.isEmpty else { throw Fault.noTable(heading) }
        return rows
    }

    static func text() throws -> String {
        try String(contentsOf: file("Registries.md"), encoding: .utf8)
    }

    /// Returns the place of a file of `Protocol/` in the checkout.
    static func file(_ path: String) -> URL {
        Repository.file("Protocol/\(path)")
    }
}
