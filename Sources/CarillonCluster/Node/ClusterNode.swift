package import CarillonCore

/// One node of a cluster: everything that it decides, from joining the log to leaving it. The rules of this module are
/// its parts.
///
/// A shell calls an event with the time, then carries out ``takeActions()``, and calls ``timerFired(at:)`` at
/// ``deadline``. Of each kind of call of the log one is under way at a time: appending (``Action/append(_:)``,
/// ``Action/expire(_:_:)``, ``Action/settle(_:)`` together), reading, waiting for news, renewing, and each kind of
/// work on snapshots. The same events give the same actions.
///
/// What ``readiness(at:)`` says, and what leads from one state to the next:
///
/// ```text
///   joining ── joined ──▶ catchingUp ── the head is applied ──▶ ready ◀──▶ behind, withoutLease
///   catchingUp, ready, behind, withoutLease ── a snapshot is needed ──▶ loading ── it is loaded ──▶ catchingUp
///
///   from each of these:   the incarnation is over ──▶ joining
///                         leave ──▶ leaving ── its entry is applied, or the deadline has passed ──▶ stopped
///                         a StopReason other than left ──▶ stopped
/// ```
///
/// Every push and every answer of a read needs ``actsUntil``: the shell publishes it after each event, and compares it
/// with the monotonic clock at the moment at which a push begins.
package struct ClusterNode: Sendable {
    /// What an operator has set, and what the program knows.
    package struct Settings: Sendable {
        /// The node.
        package var name: NodeName
        /// Names the replica: 16 random bytes that the data directory keeps.
        package var replica: UUIDBytes
        /// Where clients reach it.
        package var address = ""
        /// The version of the program.
        package var version = ""
        /// The oldest format of entries: it is written until all nodes have said that they know a newer one.
        package var oldestFormat: UInt16 = 1
        /// The newest format that the program knows.
        package var newestFormat: UInt16 = 1
        /// The durations of leases.
        package var times = LeaseTimes()
        /// How old the state of the replica may be while reads are answered and pushes begin, in milliseconds.
        package var maximumStalenessMilliseconds: UInt64 = 1_000
        /// How long one call waits for news, in milliseconds. It should be a quarter of
        /// ``maximumStalenessMilliseconds`` at most, because the state counts as being as old as the query.
        package var newsMilliseconds: UInt64 = 250
        /// The shortest time between two reports of progress while another node waits for one, in milliseconds.
        package var reportPauseMilliseconds: UInt64 = 20
        /// How long a call that failed waits until it is made again, in milliseconds.
        package var retryPauseMilliseconds: UInt64 = 100
        /// What replicas must have in common, if this node begins the log.
        package var parameters: [UInt8] = []
        /// When snapshots are made.
        package var retention = RetentionRule.Limits()
        /// The most entries that were read and wait to be applied.
        package var maximumQueuedEntries = 1_000
        /// The most bytes of changes in the entries that wait to be applied. One read may exceed it, by what it brings.
        package var maximumQueuedBytes = 16 << 20

        /// The usual settings of a node.
        package init(name: NodeName, replica: UUIDBytes) { (self.name, self.replica) = (name, replica) }
    }

    /// What a data directory says of its replica.
    package struct Replica: Hashable, Sendable {
        /// The log to which it belongs; nil if it belongs to none yet.
        package var log: UUIDBytes?
        /// The position of the last entry that it contains, and the hash after it.
        package var hash = RunningHash()
        /// What the state of its log begins with; nil if it contains no entry that says so.
        package var initialState: InitialState.Kind?
        /// True if it has data that come from no log, because a server without a cluster has written them. If this node
        /// began a log with them, they are in that log since: ``initialState`` says so.
        package var hasData = false

        /// An empty replica.
        package init() {}
    }

    struct Incarnation: Sendable {
        let member: Member
        let joinedAt: Uptime
        var append: AppendRule
        var lease: LeaseRule
        var silence: SilenceRule
        var comparison: ReplicaComparison
        var isOver = false
    }

    /// What the append that is under way is for.
    enum AppendPurpose: Hashable, Sendable {
        case batch(BatchID)
        case expiry(Member, Silence)
        case removal(Removal)
        case initialState
        case leaving
    }

    /// A member that an operator removes from the cluster.
    struct Removal: Hashable, Sendable {
        /// The caller's number of it.
        let number: UInt64
        let member: Member
        let deadline: Uptime
    }

    /// A query whose answer has the head of the log.
    struct HeadQuery: Sendable {
        /// The time before it was sent.
        let askedAt: Uptime
        /// What the replica contained at that time: the log cannot end before it.
        let applied: LogPosition
    }

    struct Batch: Sendable {
        let id: BatchID
        /// The entry with which the batch is being appended, or was; nil before that.
        var entry: LogEntry.ID?
        /// The position of the batch in the log; nil if that is not known yet.
        var position: LogPosition?
    }

    let settings: Settings
    var actions: [Action] = []
    var stopReason: StopReason?

    // Membership.
    var incarnation: Incarnation?
    var isJoining = false
    var joinSent: HeadQuery?
    var joinDue: Uptime? = 0
    var joinFailure: LogError?
    var isRenewing = false
    /// The last renewal that was sent, with the time and with what the replica contained at that time.
    var renewSent: HeadQuery?
    /// When a renewal is to be sent although the lease does not need it yet; nil if none is.
    var reportDue: Uptime?
    var view: ClusterView?
    var leaveDeadline: Uptime?
    /// The position of the entry that says that this member has left.
    var leftAt: LogPosition?
    /// Removals that wait until nothing is being appended.
    var removals: [Removal] = []

    // Appending.
    var appendPurpose: AppendPurpose?
    var appendEntry: LogEntry?
    var isCallingAppend = false
    var appendDue: Uptime?
    /// Batches whose callers wait, in the order in which they were begun. The append of the last may be under way.
    var batches: [Batch] = []
    var lastBatch: UInt64 = 0

    // Reading and applying.
    /// The state of the replica: what was applied.
    package internal(set) var replica: Replica
    /// Bytes of the entries that were applied since the node was made.
    package internal(set) var appliedBytes: UInt64 = 0
    var freshness: FreshnessRule
    /// The position of the last entry that is here: it was read, or this node appended it behind the last one that was
    /// read.
    var fetched: LogPosition
    /// Entries up to ``fetched`` that are not being applied yet.
    var queue: [LogEntry] = []
    var queueBytes = 0
    var applying: Application?
    /// The last position of the log that is known to be there.
    var knownHead: LogPosition = 0
    var isReading = false
    var readSent: HeadQuery?
    var readDue: Uptime = 0
    var isAwaitingNews = false
    var newsSent: HeadQuery?
    var newsDue: Uptime = 0
    var acknowledgement: AcknowledgementRule?
    var reads = ReadRule()

    // Snapshots.
    var retention: RetentionRule
    /// True if the replica cannot go on with the entries of the log.
    var needsSnapshot = false
    var loading: Snapshot?
    var isMakingSnapshot = false
    var snapshotDue: Uptime = 0
    var isTrimming = false

    /// The format in which batches are encoded now.
    package internal(set) var format: UInt16

    /// Makes the node of a data directory. ``timerFired(at:)`` starts it.
    package init(settings: Settings, replica: Replica) {
        (self.settings, self.replica, fetched) = (settings, replica, replica.hash.position)
        format = settings.oldestFormat
        freshness = FreshnessRule(
            maximumStalenessMilliseconds: settings.maximumStalenessMilliseconds, applied: replica.hash.position)
        retention = RetentionRule(limits: settings.retention)
    }

    // MARK: Questions

    /// The node in its present incarnation; nil if it has none.
    package var member: Member? { incarnation.flatMap { $0.isOver ? nil : $0.member } }

    /// Until when pushes may begin and reads be answered, if nothing more happens: while the lease lasts, and the
    /// replica is not behind. Nil if they may not.
    package var actsUntil: Uptime? {
        guard stopReason == nil, let incarnation, !incarnation.isOver, replica.initialState != nil, !needsSnapshot,
            let lease = incarnation.lease.actsUntil, let fresh = freshness.isFreshUntil
        else { return nil }
        return min(lease, fresh)
    }

    /// Entries that are known to be in the log and are not applied.
    package var lag: UInt64 { knownHead.distance(from: replica.hash.position) }

    /// What the log database has said of all nodes last; nil before the first renewal of this incarnation.
    package var lastView: ClusterView? { view }

    /// True if ``begin(_:deadline:at:)`` may be called.
    package var mayBeginBatch: Bool {
        stopReason == nil && member != nil && replica.initialState != nil && !needsSnapshot && leaveDeadline == nil
            && isAppendFree && batches.count < Self.maximumBatches
    }

    /// The most batches whose callers wait. One of them is being appended, the others are in the log and being applied.
    static let maximumBatches = 4

    var isAppendFree: Bool { appendPurpose == nil && !isCallingAppend && incarnation?.append.isBusy == false }

    /// Says whether the node serves clients, and if not, why.
    package func readiness(at now: Uptime) -> Readiness {
        if let stopReason { return .stopped(stopReason) }
        if leaveDeadline != nil { return .leaving }
        guard let incarnation, !incarnation.isOver else { return .joining(joinFailure) }
        if needsSnapshot { return .loading }
        if replica.initialState == nil || freshness.staleness(at: now) == nil {
            return .catchingUp(knownHead.distance(from: replica.hash.position))
        }
        guard incarnation.lease.mayAct(at: now) else { return .withoutLease }
        return freshness.isBehind(at: now) ? .behind : .ready
    }

    /// Returns what the shell is to do, in this order, and forgets it.
    package mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    // MARK: Time

    /// When ``timerFired(at:)`` is to be called at the latest; nil if there is nothing to wait for.
    package var deadline: Uptime? {
        guard stopReason == nil else { return nil }
        var times = [appendDue, leaveDeadline, acknowledgement?.nextEnd, reads.nextDeadline]
        if mustJoin { times.append(joinDue) }
        if let incarnation, !incarnation.isOver, !isRenewing { times += [incarnation.lease.nextRenewal, reportDue] }
        if let incarnation, !incarnation.isOver, isAppendFree { times.append(incarnation.silence.nextCheck) }
        if incarnation != nil, !needsSnapshot {
            if !isReading, knownHead > fetched, hasRoom { times.append(readDue) }
            if !isAwaitingNews, knownHead <= fetched { times.append(newsDue) }
        }
        return times.compactMap(\.self).min()
    }

    /// Time has passed. It may be called at any time.
    package mutating func timerFired(at now: Uptime) { advance(at: now) }

    /// Does everything that can be done now. To be called at the end of each event.
    mutating func advance(at now: Uptime) {
        guard stopReason == nil else { return }
        joinIfDue(at: now)
        continueAppend(at: now)
        beginOwnAppend(at: now)
        renewIfDue(at: now)
        loadSnapshotIfNeeded(at: now)
        readIfNeeded(at: now)
        applyIfPossible()
        if let position = acknowledgement?.acknowledged(at: now) { actions.append(.acknowledge(through: position)) }
        for end in reads.ended(freshness, actsUntil: actsUntil, at: now) { actions.append(.endRead(end)) }
        // The end of the append may be known only after its entry was applied.
        if let leftAt, replica.hash.position >= leftAt { stop(.left) }
        if let leaveDeadline, now >= leaveDeadline { stop(.left) }
    }

    /// Stops the node for good. Only the first reason counts.
    mutating func stop(_ reason: StopReason) {
        guard stopReason == nil else { return }
        stopReason = reason
        refuseRemovals()
        actions.append(.stop(reason))
    }

    // MARK: Reads

    /// Begins a read. If the decision is to wait, ``Action/endRead(_:)`` ends it later.
    ///
    /// - Parameter read: the caller's number of it.
    package mutating func read(
        _ read: UInt64, _ demand: ReadRule.Demand, deadline: Uptime, at now: Uptime
    ) -> ReadRule.Decision {
        let decision = reads.begin(
            read, demand, deadline: deadline, freshness: freshness, actsUntil: actsUntil, at: now)
        if decision == .wait, demand == .latest {
            reportSoon(at: now)
            advance(at: now)
        }
        return decision
    }
}
