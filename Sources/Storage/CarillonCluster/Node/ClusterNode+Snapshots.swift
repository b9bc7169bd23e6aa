package import CarillonCore

/// The snapshots that this node loads or makes, and the trimming of the log.
extension ClusterNode {
    // MARK: Beginning with one

    /// Gives up the replica for a snapshot. The replica cannot go on with the entries of the log: they are trimmed, or
    /// say that others have the data.
    mutating func restartFromSnapshot() {
        guard replicaState.initialState != nil || !replicaState.hasForeignData else { return stop(.foreignData) }
        loading.awaitSnapshot()
        queue.removeAll()
    }

    /// Loads the newest snapshot whose format this program knows, if the replica needs one and there is one.
    mutating func loadSnapshotIfNeeded(at now: Uptime) {
        guard progress.applying == nil, let view = membership.view else { return }
        let choice = loading.choose(
            among: view.snapshots, beyond: progress.position, newestKnown: options.newestFormat)
        switch choice {
        case .load(let snapshot):
            loading.begin(snapshot)
            actions.append(.loadSnapshot(snapshot))
            reportSoon(at: now)
        case .unknownFormat(let header): stop(.unknownFormat(header.format, at: header.position))
        case nil: break
        }
    }

    /// Takes the end of loading a snapshot. If loading has failed, the replica is empty, or as it was before.
    package mutating func snapshotLoadEnded(_ result: Result<ReplicaState, LogError>, at now: Uptime) {
        switch result {
        case .success(let loaded):
            loading.end(isLoaded: true)
            progress.snapshotLoaded(loaded)
            queue.restart(after: progress.position)
            finishSkippedBatches()
        case .failure:
            loading.end(isLoaded: false)
            // Another snapshot may be there now.
            membership.forgetView()
            reportSoon(at: now)
        }
        advance(at: now)
    }

    // MARK: Making one

    /// Makes a snapshot, if the rule of retention wants one from this node.
    mutating func makeSnapshotIfDue(_ view: ClusterView, at now: Uptime) {
        guard let member, !loading.isNeeded,
            compaction.beginSnapshotIfDue(view, by: member, of: replicaState, at: now)
        else { return }
        actions.append(.makeSnapshot)
    }

    /// Takes the end of making a snapshot, which is stored if there was no error.
    package mutating func snapshotEnded(_ result: Result<Void, LogError>, at now: Uptime) {
        switch result {
        case .success: compaction.snapshotEnded(retryAt: nil)
        case .failure:
            compaction.snapshotEnded(retryAt: now.later(byMilliseconds: options.times.leaseMilliseconds))
        }
        advance(at: now)
    }

    /// Trims the log, if that is the task of this node and something can be removed.
    mutating func trimIfPossible(_ view: ClusterView) {
        guard let member, let trim = compaction.beginTrimIfPossible(view, by: member) else { return }
        actions.append(.call(.trim(trim)))
    }

    /// Takes the end of trimming. The next view shows whether the log is trimmed.
    package mutating func trimEnded(at now: Uptime) {
        compaction.trimEnded()
        advance(at: now)
    }
}
