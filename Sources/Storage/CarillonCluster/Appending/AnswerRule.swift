package import CarillonCore

/// Decides when an urgent change is answered: a change after which some pushes must not begin, such as UNREGISTER,
/// LEAVE, mute, cancel, pause and a pace.
///
/// Its answer waits until no node can begin such a push. A node cannot begin one
/// - once it reports, in a view that was asked for after the entry was in the log, that it has applied the position;
/// - once the bound of ``FreshnessRule`` and the margin have passed since the entry was in the log: a node that has not
///   applied the entry knows by then that it is behind, and begins no push;
/// - once its lease has ended, or its incarnation is over.
///
/// Usually the first condition is met within a few round trips. The second bounds the wait even if a node is slow,
/// stopped or cut off: the answer comes late, but it is still true. For example, an UNREGISTER is in the log at 10.0 s,
/// and one node is cut off. With a bound and a margin of a second each, the answer is given at 12.0 s.
package struct AnswerRule: Sendable {
    /// The most positions that wait; when there are more, the newest two become one.
    package static let maximumWaiting = 1_024

    private struct WaitingEntry: Sendable {
        var position: LogPosition
        /// A time at which the entry was in the log.
        var since: Uptime
    }

    private struct OtherMember: Sendable {
        var applied: LogPosition
        /// The time at which the member was missing in a view for the first time; nil if it lives.
        var goneSince: Uptime?
    }

    private var member: Member
    /// The milliseconds after which a node that has not applied an entry begins no push.
    private let waitMilliseconds: UInt64
    /// The entries that wait, in the order of the log.
    private var waiting: [WaitingEntry] = []
    /// The other members of the last views. A member that is over may act until it has read that it is over, or until
    /// its lease has ended. So the rule waits for it as for the others.
    private var others: [Member: OtherMember] = [:]
    /// The time just before the last view was asked for.
    private var viewAskedAt: Uptime?

    /// Makes the rule of a member that has joined.
    ///
    /// - Parameters:
    ///   - maximumStalenessMilliseconds: the bound of ``FreshnessRule``.
    ///   - marginMilliseconds: the margin of ``LeaseTimes``.
    package init(member: Member, maximumStalenessMilliseconds: UInt64, marginMilliseconds: UInt64) {
        self.member = member
        let (sum, overflows) = maximumStalenessMilliseconds.addingReportingOverflow(marginMilliseconds)
        waitMilliseconds = overflows ? .max : sum
    }

    /// Takes over the new incarnation of a node that has joined again. The entries that wait go on waiting.
    package mutating func nodeJoined(as member: Member) { self.member = member }

    /// True if an answer waits for the progress of others: the node should ask for views often.
    package var isWaiting: Bool { !waiting.isEmpty }

    /// The time of the next answer that can be given whatever the others do; nil if no answer waits.
    package var nextEnd: Uptime? { waiting.first.map { $0.since.later(byMilliseconds: waitMilliseconds) } }

    /// Lets the answer to an entry of this member wait, which this replica has applied now.
    package mutating func delayAnswer(toEntryAt position: LogPosition, now: Uptime) {
        if waiting.count == Self.maximumWaiting { waiting.removeLast() }
        waiting.append(WaitingEntry(position: position, since: now))
    }

    /// Takes the progress of the other members from a view.
    ///
    /// - Parameter askedAt: the time before the view was asked for.
    package mutating func viewReceived(_ view: ClusterView, askedAt: Uptime, at now: Uptime) {
        var seen: [Member: OtherMember] = [:]
        for node in view.liveNodes where node.member != member {
            seen[node.member] = OtherMember(applied: node.progress.applied)
        }
        for (other, known) in others where seen[other] == nil {
            let since = known.goneSince ?? now
            guard now.milliseconds(since: since) < waitMilliseconds else { continue }
            seen[other] = OtherMember(applied: known.applied, goneSince: since)
        }
        others = seen
        viewAskedAt = max(viewAskedAt ?? askedAt, askedAt)
    }

    /// Ends the waits that are over, and returns the position up to which answers can be given now; nil if no more
    /// answers can be given than before.
    package mutating func takeAnswerable(at now: Uptime) -> LogPosition? {
        let least = others.values.map(\.applied).min() ?? .last
        var result: LogPosition?
        while let first = waiting.first {
            let isKnown = viewAskedAt.map { $0 >= first.since } ?? false && least >= first.position
            guard isKnown || now.milliseconds(since: first.since) >= waitMilliseconds else { break }
            result = first.position
            waiting.removeFirst()
        }
        return result
    }
}
