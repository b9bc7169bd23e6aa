import CarillonCore

/// An append that has begun and not ended: its purpose, its entry and its current step.
struct AppendInFlight: Sendable {
    enum Purpose: Hashable, Sendable {
        case batch(ClusterNode.BatchID)
        case expiry(Member, RequiredSilence)
        case removal(RemovalQueue.Removal)
        case initialState
        case leaving
    }

    enum Step: Hashable, Sendable {
        /// The log database has not answered a call, or the first call is about to begin.
        case calling
        case waiting(until: Uptime)
    }

    let purpose: Purpose
    /// The entry; nil before its first call.
    var entry: LogEntry?
    var step = Step.calling

    init(_ purpose: Purpose) { self.purpose = purpose }

    /// The time at which the delay ends; nil if the append is not delayed.
    var due: Uptime? { if case .waiting(let until) = step { until } else { nil } }
}
