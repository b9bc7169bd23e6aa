import CarillonCore

/// The place of a node's append. A node makes one append at a time.
struct AppendSlot: Sendable {
    /// The append in flight; nil if there is none.
    private(set) var append: AppendInFlight?

    var isFree: Bool { append == nil }

    /// The time at which the delay of the append ends; nil if no append is delayed.
    var due: Uptime? { append?.due }

    /// Begins an append. The slot must be free.
    mutating func begin(for purpose: AppendInFlight.Purpose) { append = AppendInFlight(purpose) }

    /// Records that the append waits for a call of the log database.
    ///
    /// - Parameter entry: the entry that it appends; nil for another call about the same entry.
    mutating func callBegan(with entry: LogEntry? = nil) {
        if let entry { append?.entry = entry }
        append?.step = .calling
    }

    mutating func delayBegan(until time: Uptime) { append?.step = .waiting(until: time) }

    /// Ends the append and returns it; nil if the slot was free.
    mutating func end() -> AppendInFlight? {
        defer { append = nil }
        return append
    }
}
