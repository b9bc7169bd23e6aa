import CarillonCommandLine
import CarillonCore

/// The progress of an operation with a known number of rows: a bar on a terminal, otherwise a line every few seconds.
struct RowProgress {
    private let verb: String
    private let total: UInt64
    private var done: UInt64 = 0
    private let start = ContinuousClock.now
    private var last = ContinuousClock.now

    init(_ verb: String, of total: UInt64) {
        self.verb = verb
        self.total = total
    }

    /// Adds rows that are done.
    mutating func advance(by count: Int) {
        done += UInt64(count)
        guard last.duration(to: .now) >= (StandardError.isTerminal ? .milliseconds(100) : .seconds(5)) else { return }
        last = .now
        let text = text(after: start.millisecondsUntilNow)
        guard StandardError.isTerminal else { return StandardError.printLine(text) }
        let share = total == 0 ? 1 : Double(done) / Double(total)
        StandardError.showProgress(
            ProgressBar.text(share: share, columns: StandardError.columns - text.count - 2) + text)
    }

    /// Returns the text of the progress: rows, rows a second, and the time that is left.
    func text(after milliseconds: UInt64) -> String {
        let milliseconds = max(milliseconds, 1)
        let speed = Double(done) / Double(milliseconds) * 1_000
        var parts = ["\(verb) \(Int(clamping: done).grouped) of \(Int(clamping: total).grouped)"]
        parts.append("\(Int(speed).grouped)/s")
        if speed > 0 {
            parts.append(
                "\(TimeSpan(milliseconds: UInt64(Double(total - min(done, total)) / speed * 1_000)).text) left")
        }
        return parts.joined(separator: "  ")
    }

    func end() { StandardError.showProgress("") }
}
