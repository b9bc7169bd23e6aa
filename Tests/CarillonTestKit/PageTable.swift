import Foundation

/// A table of a page of the documentation, of which a test runs each row.
package enum PageTable {
    /// The cells of each row below the head that begins so; none if the page cannot be read.
    package static func rows(of page: String, head: String) -> [[String]] {
        let text = (try? String(contentsOf: Repository.file(page), encoding: .utf8)) ?? ""
        // A table may be in an item of a list.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let table = lines.drop { !$0.hasPrefix(head) }.prefix { $0.hasPrefix("|") }
        return table.dropFirst(2).map { line in
            line.dropFirst().dropLast().components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }
}
