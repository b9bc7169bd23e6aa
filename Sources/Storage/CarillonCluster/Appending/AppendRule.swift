package import CarillonCore

/// Decides what a node does to append its entries, one after the other.
///
/// The node makes one append at a time. If its end is unknown, its sequence is settled before anything else is
/// appended. So no change is answered wrongly or applied twice. A node that is fenced appends nothing more in this
/// incarnation. All times are uptime.
///
/// The caller carries out each action and reports its end: ``Action/append(_:)`` with ``entryAppended(at:)`` or
/// ``appendFailed(_:at:)``, ``Action/settle(_:)`` with ``entrySettled(_:at:)`` or ``settleFailed(_:at:)``, and
/// ``Action/wait(until:)`` with ``delayEnded(at:)``.
package struct AppendRule: Sendable {
    package enum Action: Hashable, Sendable {
        case append(LogEntry)
        case settle(LogEntry.ID)
        /// The caller comes back at that time.
        case wait(until: Uptime)
        /// The caller reports the answer of the entry that was begun. The rule is free for another entry.
        case finish(Answer)
        /// The caller reports that the end of the entry is unknown. It comes back at that time, because the entry must
        /// still be settled. ``finishUnknown(_:)`` follows.
        case reportUnknown(until: Uptime)
        /// The answer of the entry whose end was reported as unknown. The rule is free for another entry.
        case finishUnknown(Answer)
    }

    /// The result of an append, once it is known.
    package enum Answer: Hashable, Sendable {
        case appended(LogPosition)
        /// The entry is not in the log, and never will be. The changes may be tried again unless the failure says
        /// ``LogError/fenced``.
        case refused(LogError)
        /// The log no longer tells whether the entry was appended: the node has joined again since then, and the part
        /// of the log where the entry would be is trimmed.
        case forgotten
    }

    /// The delays between two attempts.
    package struct Delays: Hashable, Sendable {
        /// The delay after the first failure. It is doubled after each further one.
        package var firstMilliseconds: UInt64 = 10
        package var maximumMilliseconds: UInt64 = 500

        /// The most times that a delay is doubled. More would be beyond any longest delay.
        fileprivate static let maximumDoublings = 20

        package init() {}
    }

    /// The next step for the entry.
    private enum Step: Hashable, Sendable {
        /// The entry is appended. `settle` follows if its end is unknown.
        case append
        /// The log is asked what became of the entry.
        case settle
    }

    private struct Attempt: Sendable {
        var entry: LogEntry
        var deadline: Uptime
        var step = Step.append
        var failures = 0
        /// True after the caller was told that the end is unknown.
        var hasReportedUnknown = false
        var failure = LogError.unavailable(.none, "no time was left")
    }

    /// The member whose entries are appended.
    package let member: Member
    package private(set) var nextSequence: UInt64
    /// True if this incarnation is over: nothing more is appended.
    package private(set) var isFenced = false
    private let delays: Delays
    private var attempt: Attempt?

    /// Makes the rule of a member, with no entry on its way.
    ///
    /// - Parameter nextSequence: 2 for a member that has just joined, because its entry `joined` had sequence 1.
    package init(member: Member, nextSequence: UInt64 = 2, delays: Delays = Delays()) {
        self.member = member
        self.nextSequence = nextSequence
        self.delays = delays
    }

    /// True if an entry is being appended or must still be settled. No other entry can begin before that.
    package var isBusy: Bool { attempt != nil }

    // MARK: Events

    /// Begins an entry.
    ///
    /// - Parameter deadline: the latest time at which the caller of the changes is told that their end is unknown.
    /// - Precondition: not ``isBusy``, and the changes are at most ``LogEntry/maximumChangeBytes``.
    package mutating func begin(
        _ content: LogEntry.Content, format: UInt16, deadline: Uptime, at now: Uptime
    ) -> Action {
        precondition(attempt == nil, "an entry is under way")
        guard !isFenced else { return .finish(.refused(.fenced)) }
        let id = LogEntry.ID(member: member, sequence: nextSequence)
        guard nextSequence < UInt64(Int64.max), let entry = LogEntry(id: id, format: format, content: content) else {
            return .finish(.refused(.refused("the entry is too large")))
        }
        nextSequence += 1
        attempt = Attempt(entry: entry, deadline: deadline)
        return .append(entry)
    }

    package mutating func entryAppended(at position: LogPosition) -> Action { end(.appended(position)) }

    package mutating func appendFailed(_ failure: LogError, at now: Uptime) -> Action {
        guard var attempt else { return end(.refused(failure)) }
        attempt.failure = failure
        self.attempt = attempt
        if failure.effect == .unknown {
            self.attempt?.step = .settle
            return .settle(attempt.entry.id)
        }
        if failure == .fenced { isFenced = true }
        guard failure.isTransient else { return end(.refused(failure)) }
        return wait(at: now)
    }

    package mutating func entrySettled(_ settlement: Settlement, at now: Uptime) -> Action {
        guard let attempt else { return end(.forgotten) }
        switch settlement {
        case .appended(let position): return end(.appended(position))
        case .forgotten:
            isFenced = true
            return end(.forgotten)
        case .never:
            // The sequence is closed: the same changes need another one.
            guard !attempt.hasReportedUnknown, now < attempt.deadline, nextSequence < UInt64(Int64.max) else {
                return end(.refused(.unavailable(.none, "the append failed, and no time was left for another")))
            }
            let entry = attempt.entry.numbered(nextSequence)
            nextSequence += 1
            self.attempt = Attempt(entry: entry, deadline: attempt.deadline, failures: attempt.failures)
            return .append(entry)
        }
    }

    /// Schedules another attempt to find out what became of the entry, because this one has failed.
    package mutating func settleFailed(_ failure: LogError, at now: Uptime) -> Action {
        self.attempt?.failure = failure
        return wait(at: now)
    }

    /// Continues after the time of ``Action/wait(until:)`` or ``Action/reportUnknown(until:)``.
    package mutating func delayEnded(at now: Uptime) -> Action {
        guard let attempt else { return end(.forgotten) }
        switch attempt.step {
        case .settle: return .settle(attempt.entry.id)
        case .append: return now < attempt.deadline ? .append(attempt.entry) : end(.refused(attempt.failure))
        }
    }

    // MARK: The end

    private mutating func end(_ answer: Answer) -> Action {
        let hadReportedUnknown = attempt?.hasReportedUnknown ?? false
        attempt = nil
        return hadReportedUnknown ? .finishUnknown(answer) : .finish(answer)
    }

    /// Waits before the step is made again. Tells the caller once its time is over.
    private mutating func wait(at now: Uptime) -> Action {
        guard var attempt else { return end(.forgotten) }
        let doubled = delays.firstMilliseconds << UInt64(min(attempt.failures, Delays.maximumDoublings))
        var until = now + min(doubled, delays.maximumMilliseconds)
        attempt.failures += 1
        defer { self.attempt = attempt }
        switch attempt.step {
        case .append:
            // The effect is none: the caller may be told the failure instead of waiting beyond its deadline.
            return .wait(until: min(until, max(attempt.deadline, now)))
        case .settle where attempt.hasReportedUnknown: return .wait(until: until)
        case .settle where now >= attempt.deadline:
            attempt.hasReportedUnknown = true
            return .reportUnknown(until: until)
        case .settle:
            until = min(until, attempt.deadline)
            return .wait(until: until)
        }
    }
}
