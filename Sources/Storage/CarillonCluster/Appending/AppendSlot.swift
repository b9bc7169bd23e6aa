import CarillonCore

/// The place of the one append that a node has under way at a time.
struct AppendSlot: Sendable {
    /// The append that is under way; nil if there is none.
    private(set) var append: AppendInFlight?

    var isFree: Bool { append == nil }

    /// The time at which the delay of the append ends; nil if no delay is under way.
    var due: Uptime? { append?.due }

    /// Begins an append; none may be under way.
    mutating func begin(for purpose: AppendInFlight.Purpose) { append = AppendInFlight(purpose) }

    /// Notes that a call of the log database is under way.
    ///
    /// - Parameter entry: the entry that it appends; nil for another call about the same entry.
    mutating func callBegan(with entry: LogEntry? = nil) {
        if let entry { append?.entry = entry }
        append?.step = .calling
    }

    mutating func delayBegan(until time: Uptime) { append?.step = .waiting(until: time) }

    /// Ends the append; nil if none was under way.
    mutating func end() -> AppendInFlight? {
        defer { append = nil }
        return append
    }
}
