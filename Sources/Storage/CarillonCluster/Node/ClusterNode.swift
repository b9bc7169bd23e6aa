package import CarillonCore

/// The decisions of one node of a cluster, from joining the log to leaving it. The rules of this module are its parts.
///
/// The caller reports each event with its time by a call, then carries out the actions of ``takeActions()``. It calls
/// ``timerFired(at:)`` at ``deadline``. The node makes one call of the log of each kind at a time: joining, appending
/// (``LogCall/append(_:)``, ``LogCall/expire(_:silence:)``, ``LogCall/settle(_:)`` together), reading, waiting for
/// entries, renewing, and each kind of work on snapshots. The same events give the same actions.
///
/// ``readiness(at:)`` says one of these states, and these events lead from one to the next:
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
/// Every push and every answer of a read needs ``mayActUntil``: the caller publishes it after each event, and compares
/// it with the monotonic clock at the moment at which a push begins.
package struct ClusterNode: Sendable {
    /// The options of an operator, and facts about the program.
    package struct Options: Sendable {
        package var name: NodeName
        /// The id of the data directory with the replica: 16 random bytes (``JoiningNode/replicaID``).
        package var replicaID: UUIDBytes
        /// The address at which clients reach the node.
        package var address = ""
        package var version = ""
        /// The oldest format of entries. The node writes it until all nodes have said that they know a newer one.
        package var oldestFormat: UInt16 = 1
        /// The newest format that the program knows.
        package var newestFormat: UInt16 = 1
        package var times = LeaseTimes()
        /// The greatest age of the replica's state at which reads are answered and pushes begin, in milliseconds.
        package var maximumStalenessMilliseconds: UInt64 = 1_000
        /// The time that one call waits for entries, in milliseconds. It should be a quarter of
        /// ``maximumStalenessMilliseconds`` at most, because the age of the state counts from the beginning of the
        /// call.
        package var entryWaitMilliseconds: UInt64 = 250
        /// The shortest time between two reports of progress while another node waits for one, in milliseconds.
        package var minimumReportIntervalMilliseconds: UInt64 = 20
        /// The time from a failure of a call until the call is made again, in milliseconds.
        package var retryDelayMilliseconds: UInt64 = 100
        /// The values that all replicas must have in common, if this node begins the log.
        package var parameters: [UInt8] = []
        /// The sizes that decide when snapshots are made.
        package var retention = RetentionRule.Limits()
        /// The most entries that were read and wait to be applied.
        package var maximumQueuedEntries = 1_000
        /// The most bytes of changes in the entries that wait to be applied. One read may bring more than that.
        package var maximumQueuedBytes = 16 << 20

        package init(name: NodeName, replicaID: UUIDBytes) { (self.name, self.replicaID) = (name, replicaID) }
    }

    let options: Options
    var actions: [Action] = []
    private(set) var stopReason: StopReason?
    var membership = MembershipState()
    var removals = RemovalQueue()
    var append = AppendSlot()
    var batches = BatchesInFlight()
    var progress: ReplicaProgress
    var queue: EntryQueue
    var fetches = FetchSchedule()
    /// The rule for answers that wait for other nodes; nil before the first incarnation.
    private(set) var answers: AnswerRule?
    private(set) var reads = ReadRule()
    var loading = SnapshotLoading.notNeeded
    var compaction: LogCompaction

    /// The format in which batches are encoded now.
    package private(set) var format: UInt16

    /// The node does nothing before the first call of ``timerFired(at:)``.
    package init(options: Options, replicaState: ReplicaState) {
        self.options = options
        format = options.oldestFormat
        progress = ReplicaProgress(
            replicaState, maximumStalenessMilliseconds: options.maximumStalenessMilliseconds)
        queue = EntryQueue(
            after: replicaState.applied.position, maximumEntries: options.maximumQueuedEntries,
            maximumBytes: options.maximumQueuedBytes)
        compaction = LogCompaction(limits: options.retention)
    }

    // MARK: Questions

    /// The node in its present incarnation; nil if it has none.
    package var member: Member? { membership.living?.member }

    package var replicaState: ReplicaState { progress.state }

    /// The number of bytes of the entries that were applied since the node was made.
    package var appliedBytes: UInt64 { progress.appliedBytes }

    /// The time until which pushes may begin and reads be answered, if nothing more happens: while the lease lasts and
    /// the replica is not behind. Nil if pushes may not begin.
    package var mayActUntil: Uptime? {
        guard stopReason == nil, replicaState.initialState != nil, !loading.isNeeded,
            let lease = membership.living?.lease.inForceUntil, let fresh = progress.freshness.freshnessEnd
        else { return nil }
        return min(lease, fresh)
    }

    /// The number of entries that are known to be in the log and are not applied.
    package var lagEntries: UInt64 { fetches.head.distance(from: progress.position) }

    /// The last view of all nodes; nil before the first renewal of this incarnation, and after a snapshot could not be
    /// loaded.
    package var lastView: ClusterView? { membership.view }

    /// True if ``begin(_:needing:deadline:at:)`` can begin a batch now.
    package var mayBeginBatch: Bool {
        stopReason == nil && member != nil && replicaState.initialState != nil && !loading.isNeeded
            && membership.departure == nil && append.isFree && !batches.isFull
    }

    /// Returns whether the node serves clients, and if not, why.
    package func readiness(at now: Uptime) -> Readiness {
        if let stopReason { return .stopped(stopReason) }
        if membership.departure != nil { return .leaving }
        guard let incarnation = membership.living else { return .joining(membership.joinFailure) }
        if loading.isNeeded { return .loading }
        if replicaState.initialState == nil || progress.freshness.stalenessMilliseconds(at: now) == nil {
            return .catchingUp(lagEntries)
        }
        guard incarnation.lease.isInForce(at: now) else { return .withoutLease }
        return progress.freshness.isBehind(at: now) ? .behind : .ready
    }

    /// Returns the actions that the caller must carry out, in this order, and forgets them.
    package mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    // MARK: Time

    /// The latest time for the next call of ``timerFired(at:)``; nil if the node waits for no time.
    package var deadline: Uptime? {
        guard stopReason == nil else { return nil }
        var times = [
            append.due, membership.nextJoin(isAppending: !append.isFree), membership.nextRenewal,
            membership.departure?.deadline, answers?.nextEnd, reads.nextDeadline,
        ]
        if append.isFree { times.append(membership.living?.expiry.nextCheck) }
        if mayRead { times.append(fetches.nextTime(for: queue)) }
        return times.compactMap(\.self).min()
    }

    /// Begins everything that is due by this time. It may be called at any time.
    package mutating func timerFired(at now: Uptime) { advance(at: now) }

    /// Does everything that can be done now. Each event calls it at its end.
    mutating func advance(at now: Uptime) {
        guard stopReason == nil else { return }
        joinIfDue(at: now)
        continueAppend(at: now)
        beginOwnAppend(at: now)
        renewIfDue(at: now)
        loadSnapshotIfNeeded(at: now)
        readIfNeeded(at: now)
        applyIfPossible()
        if let position = answers?.takeAnswerable(at: now) { actions.append(.answerChanges(through: position)) }
        for end in reads.takeEnded(with: progress.freshness, mayActUntil: mayActUntil, at: now) {
            actions.append(.endRead(end))
        }
        // The end of the append may be known only after its entry was applied.
        if membership.hasLeft(applied: progress.position) { stop(.left) }
        if let departure = membership.departure, now >= departure.deadline { stop(.left) }
    }

    /// Stops the node for good. Later reasons change nothing.
    mutating func stop(_ reason: StopReason) {
        guard stopReason == nil else { return }
        stopReason = reason
        refuseRemovals()
        actions.append(.stop(reason))
    }

    /// Lets answers wait for other nodes as this member from now on.
    mutating func beginAnswers(as member: Member) {
        if answers == nil {
            answers = AnswerRule(
                member: member, maximumStalenessMilliseconds: options.maximumStalenessMilliseconds,
                marginMilliseconds: options.times.marginMilliseconds)
        }
        answers?.nodeJoined(as: member)
    }

    /// Lets the answer to an urgent entry wait until the other nodes have applied it.
    mutating func delayAnswer(toEntryAt position: LogPosition, at now: Uptime) {
        answers?.delayAnswer(toEntryAt: position, now: now)
    }

    /// Takes what a view says about the other nodes: the positions that they have applied, and the formats that they
    /// know.
    mutating func updateOtherNodes(from view: ClusterView, askedAt: Uptime, at now: Uptime) {
        answers?.viewReceived(view, askedAt: askedAt, at: now)
        format = FormatRule.formatToWrite(view, newestKnown: options.newestFormat, current: format)
    }

    // MARK: Reads

    /// Begins a read. If the decision is to wait, ``Action/endRead(_:)`` ends it later.
    ///
    /// - Parameter read: the caller's number of the read.
    package mutating func read(
        _ read: UInt64, demanding demand: ReadRule.Demand, deadline: Uptime, at now: Uptime
    ) -> ReadRule.Decision {
        let decision = reads.begin(
            read, demanding: demand, deadline: deadline, freshness: progress.freshness, mayActUntil: mayActUntil,
            at: now)
        if decision == .wait, demand == .latest {
            reportSoon(at: now)
            advance(at: now)
        }
        return decision
    }
}
