package import CarillonCore

extension ClusterNode {
    // MARK: Beginning with one

    /// The replica cannot go on with the entries of the log: they are trimmed, or say that others have the data.
    mutating func restartFromSnapshot() {
        guard replica.initialState != nil || !replica.hasData else { return stop(.foreignData) }
        needsSnapshot = true
        (queue, queueBytes) = ([], 0)
    }

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

    /// The replica is that of the snapshot, or is not: then it is empty, or as it was.
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

    /// The snapshot is stored, or not.
    package mutating func snapshotEnded(_ result: Result<Void, LogError>, at now: Uptime) {
        isMakingSnapshot = false
        if case .failure = result { snapshotDue = now.later(byMilliseconds: settings.times.leaseMilliseconds) }
        advance(at: now)
    }

    /// The oldest member trims, so that usually one does.
    mutating func trimIfPossible(_ view: ClusterView) {
        guard let incarnation, !isTrimming, view.liveNodes.map(\.member).min() == incarnation.member,
            let trim = retention.trim(view)
        else { return }
        isTrimming = true
        actions.append(.trim(trim))
    }

    /// The log is trimmed, or not: the next view says.
    package mutating func trimEnded(at now: Uptime) {
        isTrimming = false
        advance(at: now)
    }
}
