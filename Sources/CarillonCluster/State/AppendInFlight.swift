import CarillonCore

/// The append of one entry, from its beginning to its end: what it is for, and what is under way of it.
struct AppendInFlight: Sendable {
    /// What the entry is for.
    enum Purpose: Hashable, Sendable {
        case batch(ClusterNode.BatchID)
        case expiry(Member, Silence)
        case removal(RemovalQueue.Removal)
        case initialState
        case leaving
    }

    /// What is under way.
    enum Step: Hashable, Sendable {
        /// A call of the log database, or its first one is about to begin.
        case calling
        /// A pause until that time.
        case waiting(until: Uptime)
    }

    let purpose: Purpose
    /// The entry; nil before its first call.
    var entry: LogEntry?
    var step = Step.calling

    init(_ purpose: Purpose) { self.purpose = purpose }

    /// When the pause ends; nil if there is none.
    var due: Uptime? { if case .waiting(let until) = step { until } else { nil } }
}
