package import CarillonCore

extension ClusterNode {
    // MARK: Beginning with one

    /// Gives up the replica for a snapshot. It cannot go on with the entries of the log: they are trimmed, or say that
    /// others have the data.
    mutating func restartFromSnapshot() {
        guard replica.initialState != nil || !replica.hasData else { return stop(.foreignData) }
        needsSnapshot = true
        (queue, queueBytes) = ([], 0)
    }

    /// Loads the newest snapshot whose format this program knows, if the replica needs one and there is one.
    mutating func loadSnapshotIfNeeded(at now: Uptime) {
        guard needsSnapshot, loading == nil, applying == nil, let view else { return }
        let usable = view.snapshots.filter { $0.header.position > replica.hash.position }
        guard let newest = usable.first else { return }
        guard let snapshot = usable.first(where: { $0.header.format <= settings.newestFormat }) else {
            return stop(.unknownFormat(newest.header.position, newest.header.format))
        }
        loading = snapshot
        actions.append(.loadSnapshot(snapshot))
        reportSoon(at: now)
    }

    /// Loading a snapshot has ended. If it has failed, the replica is empty, or as it was before.
    package mutating func snapshotLoaded(_ result: Result<Replica, LogError>, at now: Uptime) {
        loading = nil
        switch result {
        case .success(let loaded):
            let log = replica.log
            replica = loaded
            replica.log = log
            needsSnapshot = false
            fetched = loaded.hash.position
            freshness.applied(through: fetched)
            finishSkippedBatches()
        case .failure:
            // Another snapshot may be there now.
            view = nil
            reportSoon(at: now)
        }
        advance(at: now)
    }

    // MARK: Making one

    /// Makes a snapshot, if the rule of retention wants one from this node.
    mutating func makeSnapshotIfDue(_ view: ClusterView, at now: Uptime) {
        guard let incarnation, let start = replica.initialState, !needsSnapshot, !isMakingSnapshot, snapshotDue <= now
        else { return }
        // No node can begin with a log whose first data are on one node only.
        let isFirst = start == .imported && view.snapshots.isEmpty
        guard isFirst || retention.isSnapshotDue(view, member: incarnation.member, applied: replica.hash.position)
        else {
            return
        }
        isMakingSnapshot = true
        actions.append(.makeSnapshot)
    }

    /// Making a snapshot has ended, and it is stored if there was no error.
    package mutating func snapshotEnded(_ result: Result<Void, LogError>, at now: Uptime) {
        isMakingSnapshot = false
        if case .failure = result { snapshotDue = now.later(byMilliseconds: settings.times.leaseMilliseconds) }
        advance(at: now)
    }

    /// Only the oldest member trims, so that usually only one node does.
    mutating func trimIfPossible(_ view: ClusterView) {
        guard let incarnation, !isTrimming, view.liveNodes.map(\.member).min() == incarnation.member,
            let trim = retention.trim(view)
        else { return }
        isTrimming = true
        actions.append(.trim(trim))
    }

    /// Trimming has ended. Whether the log is trimmed is seen in the next view.
    package mutating func trimEnded(at now: Uptime) {
        isTrimming = false
        advance(at: now)
    }
}
