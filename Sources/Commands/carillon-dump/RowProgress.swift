import CarillonCommandLine
import CarillonCore

/// The progress of an operation with a known number of rows: a bar on a terminal, otherwise a line every few seconds.
struct RowProgress {
    private let verb: String
    private let totalRows: UInt64
    private var doneRows: UInt64 = 0
    private let startedAt = ContinuousClock.now
    private var lastShownAt = ContinuousClock.now

    init(_ verb: String, of total: UInt64) {
        self.verb = verb
        totalRows = total
    }

    mutating func advance(by count: Int) {
        doneRows += UInt64(count)
        guard lastShownAt.duration(to: .now) >= (StandardError.isTerminal ? .milliseconds(100) : .seconds(5)) else {
            return
        }
        lastShownAt = .now
        let text = makeText(afterMilliseconds: startedAt.millisecondsUntilNow)
        guard StandardError.isTerminal else { return StandardError.printLine(text) }
        let share = totalRows == 0 ? 1 : Double(doneRows) / Double(totalRows)
        StandardError.showProgress(
            ProgressBar.text(share: share, columns: StandardError.columns - text.count - 2) + text)
    }

    /// Returns the text of the progress: rows, rows a second, and the time that is left.
    func makeText(afterMilliseconds milliseconds: UInt64) -> String {
        let milliseconds = max(milliseconds, 1)
        let speed = Double(doneRows) / Double(milliseconds) * 1_000
        var parts = ["\(verb) \(Int(clamping: doneRows).grouped) of \(Int(clamping: totalRows).grouped)"]
        parts.append("\(Int(speed).grouped)/s")
        if speed > 0 {
            let remainingMilliseconds = UInt64(Double(totalRows - min(doneRows, totalRows)) / speed * 1_000)
            parts.append("\(TimeSpan(milliseconds: remainingMilliseconds).text) left")
        }
        return parts.joined(separator: "  ")
    }

    func end() { StandardError.clearProgress() }
}

/// The time that an action took.
extension ContinuousClock.Instant {
    var millisecondsUntilNow: UInt64 {
        let (seconds, attoseconds) = duration(to: .now).components
        return UInt64(clamping: seconds) * 1_000 + UInt64(clamping: attoseconds / 1_000_000_000_000_000)
    }
}
