/// A table of text.
enum Table {
    /// Returns the rows as lines: the first column aligned left, the others right.
    static func text(_ rows: [[String]]) -> String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { column, text in
                let space = String(repeating: " ", count: widths[column] - text.count)
                return column == 0 ? text + space : space + text
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}
