import CarillonCommandLine

/// A table for people: columns that are as wide as what is in them, and no wider together than there is room.
struct TextTable {
    /// To which side a column's texts stand.
    enum Side {
        case left
        case right
    }

    /// A column.
    struct Column {
        var title: String
        var side: Side
    }

    /// Blanks between two columns.
    private static let gap = 2
    /// A name is not shortened below so many columns.
    private static let leastWidth = 8

    private let columns: [Column]
    private var rows: [[String]] = []

    /// Makes an empty table; the titles of numbers stand to the right like these.
    init(_ columns: [(title: String, side: Side)]) {
        self.columns = columns.map { Column(title: $0.title, side: $0.side) }
    }

    /// Adds a row, a text for each column.
    mutating func add(_ row: [String]) {
        rows.append(row)
    }

    /// The titles and the rows, as lines. Where there is too little room, the widest names are shortened; numbers never are.
    func lines(width: Int) -> [String] {
        let widths = fit(width)
        return ([columns.map(\.title)] + rows).map { row in
            zip(zip(row, columns), widths).map { cell, width in
                let text = cell.0.fitted(to: width)
                return cell.1.side == .left ? text.left(width) : text.right(width)
            }
            .joined(separator: String(repeating: " ", count: Self.gap)).trimmingBlanks
        }
    }

    private func fit(_ room: Int) -> [Int] {
        var widths = columns.indices.map { index in
            max(columns[index].title.columns, rows.map { $0[index].columns }.max() ?? 0)
        }
        let gaps = Self.gap * max(0, columns.count - 1)
        while widths.reduce(gaps, +) > room {
            let names = columns.indices.filter { columns[$0].side == .left && widths[$0] > Self.leastWidth }
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
