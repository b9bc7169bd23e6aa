/// The text of tables with two columns.
package enum TwoColumnTable {
    /// Returns lines of a name and a value, with the values aligned. Long values are wrapped between words to fit
    /// `columns`, by default the width of the terminal, if standard output is one.
    package static func text(
        of rows: [(name: String, value: String)], columns: Int? = StandardOutput.columns
    ) -> String {
        let width = rows.map(\.name.columns).max() ?? 0
        return rows.flatMap { row in
            row.value.wrapped(to: columns.map { max($0 - width - 2, 20) } ?? .max).enumerated().map { index, line in
                (index == 0 ? row.name : "").leftAligned(in: width) + "  " + line
            }
        }.joined(separator: "\n")
    }

    /// Returns a row of a number, aligned right in 10 columns, and a name.
    package static func row(_ number: String, name: String) -> String { number.rightAligned(in: 10) + "  " + name }
}
