import CarillonCluster
import CarillonCore

/// Waits for entries of other nodes: keeps the call that waits, and says when the end of the log is polled for it.
///
/// A notification tells that another node has appended an entry. It can be lost, so the end of the log is also polled:
/// seldom while the session for reads has notifications, otherwise often. A `notifyingSession` is the number of the
/// session for reads; nil if there is no session, or if the session has no notifications.
struct EntryWait {
    /// A call that waits for entries.
    struct Call {
        /// The position after which an entry ends the call.
        var position: LogPosition
        let deadline: Uptime
        let completion: LogCompletion<LogPage>
        /// The earliest time of the next poll; 0 for at once.
        fileprivate var nextPoll: Uptime
        fileprivate var isPolling = false
        /// True if a notification has come since the last poll began.
        fileprivate var isNotified = false
    }

    /// A poll that has reached the end of the log. It holds as long as no notification has come since.
    private struct LastPoll {
        /// The time at which the poll began.
        var start: Uptime
        /// The number of the poll's session, which has had all notifications since.
        var session: Int32
        var end: LogPosition
    }

    private let polling: PostgreSQLLog.Polling
    /// The call that waits; nil if none does.
    private(set) var call: Call?
    /// The last poll, if a call that comes now need not poll again; nil if a call must poll at once.
    private var lastPoll: LastPoll?
    /// The time until which further entries are gathered after an entry. The log is not polled before it.
    private(set) var gatheringEnd: Uptime = 0

    init(polling: PostgreSQLLog.Polling) { self.polling = polling }

    /// Begins a call; returns the call that has waited before, which must be completed.
    mutating func begin(
        after position: LogPosition, deadline: Uptime, notifyingSession: Int32?,
        _ completion: @escaping LogCompletion<LogPage>
    ) -> Call? {
        let before = call
        let isAtEnd = position >= lastPoll?.end ?? 0
        let nextPoll = isAtEnd ? firstPollOfNewCall(notifyingSession: notifyingSession) ?? 0 : 0
        call = Call(position: position, deadline: deadline, completion: completion, nextPoll: nextPoll)
        return before
    }

    /// Removes and returns the call; nil if none waits.
    mutating func end() -> Call? { call.take() }

    /// Lets a call wait for the entries after this node's new entry: the node knows its own entries.
    mutating func appended(at position: LogPosition) {
        if call?.position.next == position { call?.position = position }
    }

    /// Takes the news that other nodes have appended entries.
    mutating func notified() {
        lastPoll = nil
        call?.isNotified = true
        call?.nextPoll = 0
    }

    /// Returns the time of the first poll of a call that begins now, at the end of the log. Nil if the call must poll
    /// at once: a notification may have come since the last poll, or have been lost.
    func firstPollOfNewCall(notifyingSession: Int32?) -> Uptime? {
        guard let lastPoll, lastPoll.session == notifyingSession else { return nil }
        return lastPoll.start + polling.intervalWithNotificationsMilliseconds
    }

    /// The time of the next poll of the log for the call; nil if no call waits, or if a poll has no answer yet. A call
    /// that has had no entry makes its last poll at its deadline.
    var pollTime: Uptime? {
        guard let call, !call.isPolling else { return nil }
        return min(max(call.nextPoll, gatheringEnd), call.deadline)
    }

    /// Begins a poll if one is due, and returns the call that needs it.
    mutating func beginPoll(at now: Uptime) -> Call? {
        guard let pollTime, now >= pollTime else { return nil }
        call?.isPolling = true
        call?.isNotified = false
        return call
    }

    /// Takes the result of a poll. Returns the call if it ends with this result; otherwise the call polls again.
    ///
    /// - Parameter start: the time at which the poll began.
    mutating func pollEnded(
        _ result: Result<LogPage, LogError>, since start: Uptime, at now: Uptime, notifyingSession: Int32?
    ) -> Call? {
        guard let call else { return nil }
        lastPoll = nil
        if case .success(let page) = result, !call.isNotified, let notifyingSession {
            lastPoll = LastPoll(start: start, session: notifyingSession, end: page.ends.head)
        }
        if endsCall(result, for: call) {
            if case .success = result { gatheringEnd = now + polling.gatherMilliseconds }
            return end()
        }
        guard now < call.deadline else { return end() }
        let interval =
            notifyingSession == nil
            ? polling.intervalWithoutNotificationsMilliseconds : polling.intervalWithNotificationsMilliseconds
        // An entry that was notified during the poll may be later than the entries that the poll has seen.
        self.call?.nextPoll = call.isNotified ? now : now + interval
        self.call?.isPolling = false
        return nil
    }

    /// Returns true if the result of a poll ends a call: there are entries after its position, or a failure.
    private func endsCall(_ result: Result<LogPage, LogError>, for call: Call) -> Bool {
        guard case .success(let page) = result else { return true }
        return page.ends.head > call.position || page.ends.trimmed > call.position
    }
}
