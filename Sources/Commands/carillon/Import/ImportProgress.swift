import CarillonCommandLine
import CarillonCore

/// The progress of an import: a bar on a terminal, otherwise a line every few seconds.
struct ImportProgress {
    private let length: UInt64?
    private let start: ContinuousClock.Instant
    private let first: (offset: UInt64, lines: Int)
    private var last: ContinuousClock.Instant

    /// Starts the progress at `state`; `length` is the length of the file in bytes, nil if it is not known.
    init(_ state: ImportState, length: UInt64?, at now: ContinuousClock.Instant = .now) {
        self.length = length
        start = now
        last = now
        first = (state.offset, state.lines)
    }

    /// Shows the state, unless it was shown a moment ago.
    mutating func show(_ state: ImportState, at now: ContinuousClock.Instant = .now) {
        guard last.duration(to: now) >= (StandardError.isTerminal ? .milliseconds(100) : .seconds(5)) else { return }
        last = now
        let text = text(state, at: now)
        guard StandardError.isTerminal else { return StandardError.printLine(text) }
        StandardError.showProgress(bar(state, width: StandardError.columns - text.count - 2) + text)
    }

    /// Returns the progress as text: lines, lines a second, results, and the time that is left.
    func text(_ state: ImportState, at now: ContinuousClock.Instant) -> String {
        let milliseconds = max(start.duration(to: now).microseconds / 1_000, 1)
        let speed = UInt64(state.lines - first.lines) * 1_000 / milliseconds
        var parts = ["\(state.lines.grouped) lines", "\(Int(clamping: speed).grouped)/s"]
        parts += ["\(state.registered.grouped) accepted", "\(state.refused.grouped) refused"]
        let done = state.offset - first.offset
        if let length, length >= state.offset, done > 0 {
            let left = Double(length - state.offset) / Double(done) * Double(milliseconds)
            parts.append("\(TimeSpan(milliseconds: UInt64(min(left, 1e12))).text) left")
        }
        return parts.joined(separator: "  ")
    }

    private func bar(_ state: ImportState, width: Int) -> String {
        guard let length, length > 0 else { return "" }
        return ProgressBar.text(share: Double(state.offset) / Double(length), columns: width)
    }
}
