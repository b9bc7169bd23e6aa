package import CarillonCore
package import Foundation

/// The files of this repository, for tests that compare the program with its documents.
package enum Repository {
    /// The folder of the repository.
    package static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Returns the place of a file, by its path from the root.
    package static func file(_ path: String) -> URL { root.appendingPathComponent(path) }
}

/// A table of a page of the documentation; a test runs each row.
package enum PageTable {
    /// Returns the cells of each row of the first table whose head begins with `head`; none if the page cannot
    /// be read.
    package static func rows(of page: String, head: String) -> [[String]] {
        rows(in: lines(of: page), head: head)
    }

    /// Returns the cells of each row of all tables whose heads begin with `head`; none if the page cannot be
    /// read.
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

/// The words for verdicts in the tables of the pages `Verdicts.md`.
extension Verdict {
    /// The verdict without times, such as `busy` or `dead: token-unregistered`.
    package var words: String {
        switch self {
        case .delivered: "delivered"
        case .notProcessed: "not processed"
        case .unknown: "unknown"
        case .credentialRefused: "credential refused"
        case .tryLater(.serverBusy, _): "busy"
        case .tryLater(.throttled, _): "throttled"
        case .tryLater(.heldBack, _): "held back"
        case .refused(let outcome, nil): "refused: \(outcome)"
        case .refused(let outcome, _): "dead: \(outcome)"
        }
    }

    /// The words of the verdict, with the time after which the provider takes the push again if it has named one, such
    /// as `busy, after 30 s`.
    package var wordsWithDelay: String {
        guard case .tryLater(_, let delayMilliseconds?) = self else { return words }
        return "\(words), after \(delayMilliseconds / 1_000) s"
    }
}
