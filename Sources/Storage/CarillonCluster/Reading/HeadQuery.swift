import CarillonCore

/// A question to the log database: where is the head of the log?
struct HeadQuery: Hashable, Sendable {
    /// The time before the question was sent.
    let askedAt: Uptime
    /// The position that the replica had reached at that time. The log cannot end before it.
    let replicaPosition: LogPosition
}
