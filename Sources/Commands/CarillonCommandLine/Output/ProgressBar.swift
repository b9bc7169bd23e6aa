/// The bar that shows the progress of a long command on a terminal.
package enum ProgressBar {
    /// Returns the bar with its percentage, in at most `columns` columns; empty if there are fewer than 12.
    package static func text(share: Double, columns: Int) -> String {
        guard columns >= 12 else { return "" }
        let share = min(max(share, 0), 1)
        let cells = min(columns - 8, 30)
        let full = Int(share * Double(cells))
        let percent = String(Int(share * 100))
        let bar = String(repeating: "█", count: full) + String(repeating: "░", count: cells - full)
        return bar + " " + String(repeating: " ", count: 3 - percent.count) + percent + " %  "
    }
}
