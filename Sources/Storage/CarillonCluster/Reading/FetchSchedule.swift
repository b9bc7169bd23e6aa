import CarillonCore

/// Chooses the call that brings the next entries of the log: a read if more entries are known to be there, else a wait
/// for entries.
struct FetchSchedule: Sendable {
    /// A kind of call. The node makes one call of each kind at a time.
    enum Call: Hashable, Sendable {
        case read
        case awaitEntries
    }

    /// The last position of the log that is known to be there.
    private(set) var head: LogPosition = 0
    private var read = HeadCall()
    private var wait = HeadCall()

    /// Takes the position of an entry that the log has.
    mutating func headReported(_ position: LogPosition) { head = max(head, position) }

    /// Returns the call to begin now; nil if no call is due.
    func dueCall(for queue: EntryQueue, at now: Uptime) -> Call? {
        nextTime(for: queue).flatMap { $0 <= now ? kind(for: queue) : nil }
    }

    /// Returns the time at which the next call is due; nil if it has no answer yet, or if the queue has no room for
    /// more entries.
    func nextTime(for queue: EntryQueue) -> Uptime? {
        switch kind(for: queue) {
        case .read: queue.hasRoom ? read.nextAt : nil
        case .awaitEntries: wait.nextAt
        }
    }

    private func kind(for queue: EntryQueue) -> Call { head > queue.fetched ? .read : .awaitEntries }

    mutating func begin(_ call: Call, asking query: HeadQuery) {
        switch call {
        case .read: read.begin(query)
        case .awaitEntries: wait.begin(query)
        }
    }

    /// Ends a call, and returns its question; nil if no call of its kind was ever begun.
    mutating func end(_ call: Call) -> HeadQuery? {
        switch call {
        case .read:
            read.end()
            return read.query
        case .awaitEntries:
            wait.end()
            return wait.query
        }
    }

    /// Lets no call of this kind begin before that time, because one has failed.
    mutating func delay(_ call: Call, until time: Uptime) {
        switch call {
        case .read: read.delay(until: time)
        case .awaitEntries: wait.delay(until: time)
        }
    }
}

/// A kind of call whose answer has the head of the log. The node makes one call of the kind at a time, and waits after
/// a failure.
struct HeadCall: Sendable {
    /// True from ``begin(_:)`` to ``end()``.
    private(set) var isUnderWay = false
    /// The question of the last call, also after its end; nil before the first.
    private(set) var query: HeadQuery?
    private var due: Uptime = 0

    /// The time from which the next call may begin; nil while a call has no answer.
    var nextAt: Uptime? { isUnderWay ? nil : due }

    mutating func begin(_ query: HeadQuery) { (isUnderWay, self.query) = (true, query) }

    /// Ends the call, with an answer or without.
    mutating func end() { isUnderWay = false }

    /// Lets no call begin before that time.
    mutating func delay(until time: Uptime) { due = time }
}
