import CarillonCommandLine

/// A table of text: each column is as wide as its content, and the table no wider than the given width.
struct TextTable {
    /// The kind of a column: how its texts are aligned and shortened.
    enum ColumnKind {
        /// Names: on the left side, shortened if nothing else helps.
        case name
        /// Numbers: on the right side, never shortened.
        case number
        /// Additional information: on the left side, the first to be shortened or left out.
        case note
    }

    struct Column {
        var title: String
        var kind: ColumnKind
    }

    /// The number of blanks between two columns.
    private static let gap = 2
    /// The smallest width to which a name is shortened; a note that would have less is left out.
    private static let minimumWidth = 8

    private let columns: [Column]
    private var rows: [[String]] = []

    /// A title is aligned like its column.
    init(_ columns: [(title: String, kind: ColumnKind)]) {
        self.columns = columns.map { Column(title: $0.title, kind: $0.kind) }
    }

    /// Adds a row, a text for each column.
    mutating func add(_ row: [String]) {
        rows.append(row)
    }

    /// Returns the titles and the rows as lines. If the width is too small, notes are shortened first, then the widest
    /// names.
    func lines(width: Int) -> [String] {
        let widths = fit(width)
        return ([columns.map(\.title)] + rows).map { row in
            columns.indices.filter { widths[$0] > 0 }.map { index in
                let text = row[index].fitted(to: widths[index])
                return columns[index].kind == .number
                    ? text.rightAligned(in: widths[index]) : text.leftAligned(in: widths[index])
            }
            .joined(separator: String(repeating: " ", count: Self.gap)).trimmingBlanks
        }
    }

    /// Returns the widths of the columns: notes give way first, and disappear if they would be too narrow; then the
    /// widest column of names.
    private func fit(_ room: Int) -> [Int] {
        var widths = columns.indices.map { index in
            max(columns[index].title.columns, rows.map { $0[index].columns }.max() ?? 0)
        }
        func total() -> Int {
            widths.reduce(0, +) + Self.gap * max(0, widths.filter { $0 > 0 }.count - 1)
        }
        for index in columns.indices where columns[index].kind == .note {
            let left = widths[index] - max(0, total() - room)
            widths[index] = left >= min(Self.minimumWidth, widths[index]) ? left : 0
        }
        while total() > room {
            let names = columns.indices.filter { columns[$0].kind == .name && widths[$0] > Self.minimumWidth }
            guard let widest = names.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
        }
        return widths
    }
}

extension String {
    /// The text without blanks at its end.
    fileprivate var trimmingBlanks: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
