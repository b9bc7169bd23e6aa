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

/// The append of one entry, from its beginning to its end: its purpose, and the step that is under way.
struct AppendInFlight: Sendable {
    enum Purpose: Hashable, Sendable {
        case batch(ClusterNode.BatchID)
        case expiry(Member, Silence)
        case removal(RemovalQueue.Removal)
        case initialState
        case leaving
    }

    enum Step: Hashable, Sendable {
        /// A call of the log database is under way, or the first one is about to begin.
        case calling
        case waiting(until: Uptime)
    }

    let purpose: Purpose
    /// The entry; nil before its first call.
    var entry: LogEntry?
    var step = Step.calling

    init(_ purpose: Purpose) { self.purpose = purpose }

    /// The time at which the delay ends; nil if no delay is under way.
    var due: Uptime? { if case .waiting(let until) = step { until } else { nil } }
}
