package import CarillonCore

extension ClusterNode {
    // MARK: Joining

    /// True if the node has no incarnation, and nothing of the last one is under way.
    var mustJoin: Bool {
        guard !isJoining, leaveDeadline == nil else { return false }
        guard let incarnation else { return true }
        return incarnation.isOver && !incarnation.append.isBusy && !isCallingAppend && !isRenewing
    }

    /// Joins the cluster, if the node is to be a member and no join is under way.
    mutating func joinIfDue(at now: Uptime) {
        guard mustJoin, let due = joinDue, due <= now else { return }
        (isJoining, joinSent, joinDue) = (true, query(at: now), nil)
        // Entries of the nodes themselves have had the same form since the first version.
        actions.append(
            .join(
                JoiningNode(
                    name: settings.name, replica: settings.replica, address: settings.address,
                    format: settings.oldestFormat, leaseMilliseconds: settings.times.leaseMilliseconds)))
    }

    /// An attempt to join has ended.
    package mutating func joinEnded(_ result: Result<Membership, LogError>, at now: Uptime) {
        isJoining = false
        switch result {
        case .success(let membership): joined(membership, at: now)
        case .failure(.corrupted(let reason)): stop(.corrupted(reason))
        case .failure(let failure):
            joinFailure = failure
            joinDue = now.later(byMilliseconds: settings.retryPauseMilliseconds)
        }
        advance(at: now)
    }

    private mutating func joined(_ membership: Membership, at now: Uptime) {
        guard replica.log.map({ $0 == membership.log }) ?? true else { return stop(.otherLog) }
        guard let query = joinSent else { return }
        // A node that was expired has gone on applying: it may have read its own joining before it was answered.
        guard membership.position > query.applied else { return stop(.logIsOlder(query.applied)) }
        replica.log = membership.log
        joinFailure = nil
        joinDue = now
        let member = membership.member
        incarnation = Incarnation(
            member: member, joinedAt: now, append: AppendRule(member: member),
            lease: LeaseRule(times: settings.times, joinSentAt: query.askedAt),
            silence: SilenceRule(member: member, times: settings.times), comparison: ReplicaComparison(member: member))
        if acknowledgement == nil {
            acknowledgement = AcknowledgementRule(
                member: member, maximumStalenessMilliseconds: settings.maximumStalenessMilliseconds,
                marginMilliseconds: settings.times.marginMilliseconds)
        }
        acknowledgement?.joined(as: member)
        knownHead = max(knownHead, membership.position)
        view = nil
        reportDue = now
        actions.append(.beginIncarnation(membership))
    }

    /// Ends the incarnation, which an entry or an answer of the log database has declared over. The node joins again
    /// when it knows what became of its last entry.
    mutating func endIncarnation() {
        guard let incarnation, !incarnation.isOver else { return }
        self.incarnation?.isOver = true
        self.incarnation?.lease.fenced()
        refuseRemovals()
        actions.append(.endIncarnation(incarnation.member))
    }

    /// Lets the node leave. It answers what its callers wait for, appends an entry that it leaves, and applies the log
    /// up to this entry. To be called when its delivery engine has stopped and the outcomes of its pushes are recorded.
    ///
    /// - Parameter deadline: when the node stops even if its entry is not in the log; the other nodes then expire it.
    package mutating func leave(deadline: Uptime, at now: Uptime) {
        leaveDeadline = deadline
        advance(at: now)
    }

    // MARK: Renewing

    /// Schedules a renewal before the lease needs one, to publish progress or to learn the head of the log.
    mutating func reportSoon(at now: Uptime) {
        let earliest = renewSent?.askedAt.later(byMilliseconds: settings.reportPauseMilliseconds) ?? now
        reportDue = min(reportDue ?? .max, max(earliest, now))
    }

    /// Renews the lease, if that is due or a report is, and no renewal is under way.
    mutating func renewIfDue(at now: Uptime) {
        guard let incarnation, !incarnation.isOver, !isRenewing else { return }
        let isDue = (incarnation.lease.nextRenewal.map { $0 <= now } ?? false) || (reportDue.map { $0 <= now } ?? false)
        guard isDue else { return }
        (isRenewing, renewSent, reportDue) = (true, query(at: now), nil)
        self.incarnation?.lease.willRenew(at: now)
        // A node that loads a snapshot reports the position of the snapshot: so the log is kept from there on.
        let hash = loading.map { RunningHash(position: $0.header.position, value: $0.header.hash) } ?? replica.hash
        actions.append(
            .renew(
                NodeProgress(
                    member: incarnation.member, applied: hash.position, hash: hash.value,
                    leaseMilliseconds: settings.times.leaseMilliseconds,
                    address: settings.address, version: settings.version, newestFormat: settings.newestFormat)))
    }

    /// A renewal of the lease has ended.
    package mutating func renewEnded(_ result: Result<ClusterView, LogError>, at now: Uptime) {
        isRenewing = false
        switch result {
        case .success(let view):
            incarnation?.lease.renewed()
            if incarnation?.isOver == false { saw(view, at: now) }
        case .failure(let failure):
            incarnation?.lease.renewalFailed(failure, at: now)
            if failure == .fenced { endIncarnation() } else { incarnation?.silence.databaseFailed() }
        }
        advance(at: now)
    }

    private mutating func saw(_ view: ClusterView, at now: Uptime) {
        guard view.log == replica.log else { return stop(.otherLog) }
        guard let query = renewSent else { return }
        self.view = view
        headReported(view.head.position, query)
        incarnation?.silence.saw(view, at: now)
        acknowledgement?.saw(view, askedAt: query.askedAt, at: now)
        format = FormatRule.writable(view, newestKnown: settings.newestFormat, present: format)
        retention.saw(view)
        incarnation?.comparison.saw(view)
        stopIfReplicaDiffers()
        makeSnapshotIfDue(view, at: now)
        trimIfPossible(view)
        if acknowledgement?.isWaiting == true || reads.needsHead { reportSoon(at: now) }
    }

    /// Stops the node if other nodes have shown that this replica is the one that differs.
    mutating func stopIfReplicaDiffers() {
        if let comparison = incarnation?.comparison, comparison.mustStop { stop(.differs(comparison.differing)) }
    }
}
