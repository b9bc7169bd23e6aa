import CarillonCore

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
