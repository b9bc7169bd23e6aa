import CarillonCore

/// A question for the head of the log.
struct HeadQuery: Hashable, Sendable {
    /// The time before it was sent.
    let askedAt: Uptime
    /// What the replica contained at that time: the log cannot end before it.
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

    /// When the next call may begin; nil while one is under way.
    var next: Uptime? { isUnderWay ? nil : due }

    /// Returns true if a call may begin now.
    func mayBegin(at now: Uptime) -> Bool { next.map { $0 <= now } ?? false }

    mutating func begin(_ query: HeadQuery) { (isUnderWay, self.query) = (true, query) }

    /// The call has ended, with an answer or without.
    mutating func end() { isUnderWay = false }

    /// No call begins before that time.
    mutating func wait(until time: Uptime) { due = time }
}
