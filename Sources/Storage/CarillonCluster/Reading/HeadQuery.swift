import CarillonCore

/// A question that the node has sent to the log database: where the head of the log is.
struct HeadQuery: Hashable, Sendable {
    /// The time before the question was sent.
    let askedAt: Uptime
    /// The position that the replica had reached at that time. The log cannot end before it.
    let replicaPosition: LogPosition
}
