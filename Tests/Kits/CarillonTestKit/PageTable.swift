import Foundation

/// A table of a page of the documentation; a test runs each row.
package enum PageTable {
    /// Returns the cells of each row of the first table whose head begins so; none if the page cannot be read.
    package static func rows(of page: String, head: String) -> [[String]] {
        rows(in: lines(of: page), head: head)
    }

    /// Returns the cells of each row of all tables whose heads begin so; none if the page cannot be read.
    package static func rowsOfAll(of page: String, head: String) -> [[String]] {
        var (rest, rows): (ArraySlice<String>, [[String]]) = (lines(of: page)[...], [])
        while let start = rest.firstIndex(where: { $0.hasPrefix(head) }) {
            rows += self.rows(in: Array(rest[start...]), head: head)
            rest = rest[(start + 1)...]
        }
        return rows
    }

    private static func lines(of page: String) -> [String] {
        let text = (try? String(contentsOf: Repository.file(page), encoding: .utf8)) ?? ""
        // A table may be in an item of a list.
        return text.split(separator: "\n", omittingEmptySubsequences: false).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }

    private static func rows(in lines: [String], head: String) -> [[String]] {
        let table = lines.drop { !$0.hasPrefix(head) }.prefix { $0.hasPrefix("|") }
        return table.dropFirst(2).map { line in
            line.dropFirst().dropLast().components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }
}
