import CarillonCore

/// A question for the head of the log.
struct HeadQuery: Hashable, Sendable {
    /// The time before the question was sent.
    let askedAt: Uptime
    /// The position that the replica had reached at that time. The log cannot end before it.
    let applied: LogPosition
}

/// A kind of call of the log database whose answer has the head of the log. One is under way at a time, and after a
/// failure the next one waits.
struct HeadCall: Sendable {
    /// True from ``begin(_:)`` to ``end()``.
    private(set) var isUnderWay = false
    /// The question of the last call, also after its end; nil before the first.
    private(set) var query: HeadQuery?
    private var due: Uptime = 0

    /// The time from which the next call may begin; nil while a call is under way.
    var nextAt: Uptime? { isUnderWay ? nil : due }

    /// Returns true if a call may begin now.
    func mayBegin(at now: Uptime) -> Bool { nextAt.map { $0 <= now } ?? false }

    mutating func begin(_ query: HeadQuery) { (isUnderWay, self.query) = (true, query) }

    /// Notes that the call has ended, with an answer or without.
    mutating func end() { isUnderWay = false }

    /// Lets no call begin before that time.
    mutating func wait(until time: Uptime) { due = time }
}
