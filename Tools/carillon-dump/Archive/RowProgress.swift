import CarillonCommandLine
import CarillonCore

/// Shows how far something with a known number of rows has come: a bar to a person, a line every few seconds otherwise.
struct RowProgress {
    private let what: String
    private let total: UInt64
    private var done: UInt64 = 0
    private let start = ContinuousClock.now
    private var last = ContinuousClock.now

    init(_ what: String, of total: UInt64) {
        self.what = what
        self.total = total
    }

    /// Some more rows are done.
    mutating func advance(by count: Int) {
        done += UInt64(count)
        guard last.duration(to: .now) >= (Terminal.isWatched ? .milliseconds(100) : .seconds(5)) else { return }
        last = .now
        let text = text(after: start.milliseconds)
        guard Terminal.isWatched else { return Terminal.complain(text) }
        let share = total == 0 ? 1 : Double(done) / Double(total)
        Terminal.progress(Terminal.bar(share, width: Terminal.width - text.count - 2) + text)
    }

    /// Rows, how fast, and how long the rest takes.
    func text(after milliseconds: UInt64) -> String {
        let milliseconds = max(milliseconds, 1)
        let speed = Double(done) / Double(milliseconds) * 1_000
        var parts = ["\(what) \(Int(clamping: done).grouped) of \(Int(clamping: total).grouped)"]
        parts.append("\(Int(speed).grouped)/s")
        if speed > 0 {
            parts.append("\(Timestamp.length(UInt64(Double(total - min(done, total)) / speed * 1_000))) left")
        }
        return parts.joined(separator: "  ")
    }

    /// Takes the bar away.
    func end() { Terminal.progress("") }
}
