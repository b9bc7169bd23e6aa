import CarillonCommandLine
import CarillonCore

/// Shows how far an import has come: a bar to a person, a line every few seconds otherwise.
struct ImportProgress {
    private let length: UInt64?
    private let start: ContinuousClock.Instant
    private let first: (offset: UInt64, lines: Int)
    private var last: ContinuousClock.Instant

    /// Begins where `state` stands; `length` is that of the file in bytes, if it is known.
    init(_ state: ImportState, length: UInt64?, at now: ContinuousClock.Instant = .now) {
        self.length = length
        (start, last) = (now, now)
        first = (state.offset, state.lines)
    }

    /// Shows the state, if the last time is long enough ago.
    mutating func show(_ state: ImportState, at now: ContinuousClock.Instant = .now) {
        guard last.duration(to: now) >= (Terminal.isWatched ? .milliseconds(100) : .seconds(5)) else { return }
        last = now
        let text = text(state, at: now)
        guard Terminal.isWatched else { return Terminal.complain(text) }
        Terminal.progress(bar(state, width: Terminal.width - text.count - 2) + text)
    }

    /// Lines, how fast, what became of them, and how long the rest takes.
    func text(_ state: ImportState, at now: ContinuousClock.Instant) -> String {
        let milliseconds = max(start.duration(to: now).microseconds / 1_000, 1)
        let speed = UInt64(state.lines - first.lines) * 1_000 / milliseconds
        var parts = ["\(state.lines.grouped) lines", "\(Int(clamping: speed).grouped)/s"]
        parts += ["\(state.registered.grouped) accepted", "\(state.refused.grouped) refused"]
        let done = state.offset - first.offset
        if let length, length >= state.offset, done > 0 {
            let left = Double(length - state.offset) / Double(done) * Double(milliseconds)
            parts.append("\(Timestamp.length(UInt64(min(left, 1e12)))) left")
        }
        return parts.joined(separator: "  ")
    }

    private func bar(_ state: ImportState, width: Int) -> String {
        guard let length, length > 0 else { return "" }
        return Terminal.bar(Double(state.offset) / Double(length), width: width)
    }
}
