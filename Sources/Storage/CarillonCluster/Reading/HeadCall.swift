import CarillonCore

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

    func mayBegin(at now: Uptime) -> Bool { nextAt.map { $0 <= now } ?? false }

    mutating func begin(_ query: HeadQuery) { (isUnderWay, self.query) = (true, query) }

    /// Notes that the call has ended, with an answer or without.
    mutating func end() { isUnderWay = false }

    /// Lets no call begin before that time.
    mutating func delay(until time: Uptime) { due = time }
}
