package import CarillonCore

/// Decides whether this node is behind: it may lack entries that were in the log a moment ago.
///
/// A node asks the log database for the head of the log. When it has applied everything up to that head, its state is
/// at least as new as the moment before it asked. The node is behind when that moment is further back than the bound.
/// That also happens if the log database does not answer.
package struct FreshnessRule: Sendable {
    /// The most questions that are remembered until their heads are applied.
    private static let maximumPending = 16

    private let maximumStalenessMilliseconds: UInt64
    private var applied: LogPosition
    /// The last time at which the replica is known to have lacked nothing: its state is at least as new as this time.
    /// Nil at the start.
    private var lastFreshTime: Uptime?
    /// The heads that are not applied yet, in order, with the times before they were asked for.
    private var pending: [(askedAt: Uptime, head: LogPosition)] = []

    /// Makes the rule of a replica.
    ///
    /// - Parameters:
    ///   - maximumStalenessMilliseconds: the greatest age of a state that is not behind.
    ///   - applied: the position of the replica.
    package init(maximumStalenessMilliseconds: UInt64 = 1_000, applied: LogPosition) {
        self.maximumStalenessMilliseconds = maximumStalenessMilliseconds
        self.applied = applied
    }

    /// Takes a head that the log database has reported.
    ///
    /// - Parameter askedAt: the time before the question was sent.
    package mutating func headReported(_ head: LogPosition, askedAt: Uptime) {
        guard head > applied else {
            lastFreshTime = max(lastFreshTime ?? askedAt, askedAt)
            return
        }
        // When many questions are open, the newest replaces the one before it. The oldest stays, because its head is
        // reached first.
        if pending.count == Self.maximumPending { pending.removeLast() }
        pending.append((askedAt, head))
    }

    /// Takes a position that the replica has reached: it contains the entries up to there.
    package mutating func entriesApplied(through position: LogPosition) {
        applied = max(applied, position)
        while let first = pending.first, first.head <= applied {
            lastFreshTime = max(lastFreshTime ?? first.askedAt, first.askedAt)
            pending.removeFirst()
        }
    }

    /// Returns true if the node must refuse reads.
    package func isBehind(at now: Uptime) -> Bool {
        stalenessMilliseconds(at: now).map { $0 > maximumStalenessMilliseconds } ?? true
    }

    /// Returns the greatest number of milliseconds that the state can be old; nil if that is unknown.
    package func stalenessMilliseconds(at now: Uptime) -> UInt64? { lastFreshTime.map { now.milliseconds(since: $0) } }

    /// The time until which the node is not behind, if it hears nothing further from the log; nil if it has never been
    /// fresh.
    package var freshnessEnd: Uptime? { lastFreshTime?.later(byMilliseconds: maximumStalenessMilliseconds) }

    /// Returns true if the state is at least as new as a time.
    package func isNew(asOf time: Uptime) -> Bool { lastFreshTime.map { $0 >= time } ?? false }

    /// Returns true if the replica contains a position: a read that asks for it can be answered.
    package func hasReached(_ position: LogPosition) -> Bool { applied >= position }
}
