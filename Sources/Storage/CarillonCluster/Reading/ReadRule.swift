package import CarillonCore

/// Decides when a read is answered from this node's replica: at once, later, or not at all.
///
/// Every answer carries the position of the replica. A client that goes to another node sends this position with its
/// reads, and so reads its own writes there too.
package struct ReadRule: Sendable {
    /// The age of the state that a read demands.
    package enum Demand: Hashable, Sendable {
        /// The state is at most as old as the bound. A node that may act (``ClusterNode/mayActUntil``) has such a
        /// state.
        case recent
        /// The state contains the entries up to a position that the client has seen in an answer.
        case containing(LogPosition)
        /// The state is at least as new as the moment at which the read came: the read sees every change that was
        /// answered by any node before.
        case latest
    }

    /// The reason why a read is not answered. The read may be tried again, here or on another node.
    package enum Refusal: Hashable, Sendable {
        /// The node may be behind, or its lease has ended.
        case behind
        /// The replica did not reach the demanded state before the read's deadline.
        case notReached
        /// Too many reads wait.
        case overloaded
    }

    /// The next step for a read.
    package enum Decision: Hashable, Sendable {
        case answer
        /// The read waits, and ``takeEnded(with:mayActUntil:at:)`` names it later.
        case wait
        case refuse(Refusal)
    }

    /// A read that has waited, and its end.
    package struct End: Hashable, Sendable {
        /// The caller's number of the read.
        package let read: UInt64
        /// The reason why the read is not answered; nil if the caller answers it now.
        package let refusal: Refusal?
    }

    package static let maximumWaiting = 4_096

    private struct WaitingRead: Sendable {
        var number: UInt64
        var demand: Demand
        var since: Uptime
        var deadline: Uptime
    }

    private var waiting: [WaitingRead] = []

    package init() {}

    /// True if a read that must see every change before it waits. The node must then ask for the head.
    package var needsHead: Bool { waiting.contains { $0.demand == .latest } }

    /// The time at which the next read is refused; nil if no read waits.
    package var nextDeadline: Uptime? { waiting.map(\.deadline).min() }

    /// Decides on a new read, and keeps it if it must wait.
    ///
    /// - Parameters:
    ///   - mayActUntil: the time until which the node may act (``ClusterNode/mayActUntil``).
    ///   - deadline: the time at which the read is refused if it cannot be answered.
    package mutating func begin(
        _ number: UInt64, demanding demand: Demand, deadline: Uptime, freshness: FreshnessRule, mayActUntil: Uptime?,
        at now: Uptime
    ) -> Decision {
        guard let mayActUntil, now < mayActUntil else { return .refuse(.behind) }
        let read = WaitingRead(number: number, demand: demand, since: now, deadline: deadline)
        if Self.isMet(read.demand, since: read.since, with: freshness) { return .answer }
        guard now < deadline else { return .refuse(.notReached) }
        guard waiting.count < Self.maximumWaiting else { return .refuse(.overloaded) }
        waiting.append(read)
        return .wait
    }

    /// Removes and returns the reads that end now, in the order in which they came.
    package mutating func takeEnded(with freshness: FreshnessRule, mayActUntil: Uptime?, at now: Uptime) -> [End] {
        guard !waiting.isEmpty else { return [] }
        let mayAct = mayActUntil.map { now < $0 } ?? false
        var ends: [End] = []
        waiting.removeAll { read in
            if mayAct, Self.isMet(read.demand, since: read.since, with: freshness) {
                ends.append(End(read: read.number, refusal: nil))
            } else if now >= read.deadline {
                ends.append(End(read: read.number, refusal: mayAct ? .notReached : .behind))
            } else {
                return false
            }
            return true
        }
        return ends
    }

    private static func isMet(_ demand: Demand, since: Uptime, with freshness: FreshnessRule) -> Bool {
        switch demand {
        // The callers have checked `mayActUntil`, which is no later than the end of the bound.
        case .recent: true
        case .containing(let position): freshness.hasReached(position)
        case .latest: freshness.isNew(asOf: since)
        }
    }
}
