package import CarillonCore

/// The membership of this node: joining, its lease, leaving, and the comparison of replicas.
extension ClusterNode {
    // MARK: Joining

    /// Joins the cluster, if the node is no member, should be one, and is not joining already.
    mutating func joinIfDue(at now: Uptime) {
        guard let due = membership.nextJoin(isAppending: !append.isFree), due <= now else { return }
        membership.beginJoin(progress.query(at: now))
        // Entries of the nodes themselves have had the same form since the first version.
        actions.append(
            .call(
                .join(
                    JoiningNode(
                        name: options.name, replicaID: options.replicaID, address: options.address,
                        format: options.oldestFormat, leaseMilliseconds: options.times.leaseMilliseconds))))
    }

    package mutating func joinEnded(_ result: Result<JoinedNode, LogError>, at now: Uptime) {
        let query = membership.endJoin()
        switch result {
        case .success(let joined): if let query { nodeJoined(joined, answering: query, at: now) }
        case .failure(.corrupted(let reason)): stop(.corrupted(reason))
        case .failure(let failure):
            membership.joinFailed(failure, retryAt: now.later(byMilliseconds: options.retryDelayMilliseconds))
        }
        advance(at: now)
    }

    private mutating func nodeJoined(_ joined: JoinedNode, answering query: HeadQuery, at now: Uptime) {
        guard replicaState.log.map({ $0 == joined.log }) ?? true else { return stop(.otherLog) }
        // The entry of the join must be behind what the replica had when the join was sent. It need not be behind what
        // the replica has now: a node that was expired goes on applying, and may have applied that entry already.
        guard joined.position > query.replicaPosition else { return stop(.logIsOlder(query.replicaPosition)) }
        progress.logJoined(joined.log)
        fetches.headReported(joined.position)
        membership.nodeJoined(
            NodeIncarnation(joined.member, times: options.times, joinSentAt: query.askedAt, at: now), at: now)
        beginAnswers(as: joined.member)
        actions.append(.beginIncarnation(joined))
    }

    /// Ends the incarnation, which an entry or an answer of the log database has declared over. The node joins again
    /// once it knows the end of its last append.
    mutating func endIncarnation() {
        guard let member = membership.endIncarnation() else { return }
        refuseRemovals()
        actions.append(.endIncarnation(member))
    }

    /// Lets the node leave. It answers the callers that wait, appends its entry `left`, and applies the log up to this
    /// entry. Call this when its delivery engine has stopped and the outcomes of its pushes are recorded.
    ///
    /// - Parameter deadline: the time at which the node stops even if its entry is not in the log; the other nodes then
    ///   expire it.
    package mutating func leave(deadline: Uptime, at now: Uptime) {
        membership.leave(deadline: deadline)
        advance(at: now)
    }

    // MARK: Renewing

    /// Schedules a renewal before the lease needs one, to publish progress or to learn the head of the log.
    mutating func reportSoon(at now: Uptime) {
        membership.reportSoon(minimumIntervalMilliseconds: options.minimumReportIntervalMilliseconds, at: now)
    }

    /// Renews the lease, if a renewal or a report is due and no renewal is in flight.
    mutating func renewIfDue(at now: Uptime) {
        guard let member, let due = membership.nextRenewal, due <= now else { return }
        membership.beginRenewal(progress.query(at: now), at: now)
        // A node that loads a snapshot reports the snapshot's position, so that the log is kept from there on.
        let hash =
            loading.snapshot.map { RunningHash(position: $0.header.position, value: $0.header.hash) }
            ?? replicaState.applied
        actions.append(
            .call(
                .renew(
                    NodeProgress(
                        member: member, applied: hash.position, hash: hash.value,
                        leaseMilliseconds: options.times.leaseMilliseconds,
                        address: options.address, version: options.version, newestFormat: options.newestFormat))))
    }

    package mutating func renewEnded(_ result: Result<ClusterView, LogError>, at now: Uptime) {
        switch result {
        case .success(let view):
            if let query = membership.leaseRenewed() { viewReceived(view, answering: query, at: now) }
        case .failure(let failure):
            membership.renewalFailed(failure, at: now)
            if failure == .fenced { endIncarnation() }
        }
        advance(at: now)
    }

    private mutating func viewReceived(_ view: ClusterView, answering query: HeadQuery, at now: Uptime) {
        guard view.log == replicaState.log else { return stop(.otherLog) }
        headReported(view.ends.head, answering: query)
        membership.viewReceived(view, at: now)
        updateOtherNodes(from: view, askedAt: query.askedAt, at: now)
        compaction.viewReceived(view)
        stopIfReplicaDiffers()
        makeSnapshotIfDue(view, at: now)
        trimIfPossible(view)
        if answers?.isWaiting == true || reads.needsHead { reportSoon(at: now) }
    }

    /// Stops the node if other nodes have shown that this replica is the one that differs.
    mutating func stopIfReplicaDiffers() {
        if let comparison = membership.incarnation?.comparison, comparison.mustStop {
            stop(.differs(comparison.differing))
        }
    }
}
