/// The actions that a node asks of its caller, and the names and ends of batches.
extension ClusterNode {
    /// An action that the caller must carry out.
    package enum Action: Hashable, Sendable {
        /// A call of the log.
        case call(LogCall)
        /// Apply entries to the replica, in order. The end is reported with ``ClusterNode/entriesApplied(_:at:)``.
        case apply(EntriesToApply)
        /// Answer the changes of a batch that ``ClusterNode/begin(_:needing:deadline:at:)`` began.
        case finish(BatchID, BatchEnd)
        /// Answer the changes up to a position, which were applied and had to wait for the other nodes.
        case answerChanges(through: LogPosition)
        /// Answer the removal that ``ClusterNode/remove(_:number:deadline:at:)`` began under that number.
        case endRemoval(UInt64, RemovalEnd)
        /// Answer a read that waited, or refuse it.
        case endRead(ReadRule.End)
        /// The node has a new incarnation; the replica keeps the name of the log with its next commit. The delivery
        /// engine begins anew and holds no claims.
        case beginIncarnation(JoinedNode)
        /// The incarnation is over: the delivery engine begins no push and forgets its pages. Outcomes of pushes on the
        /// wire are kept for the next incarnation.
        case endIncarnation(Member)
        /// Make a snapshot of the replica, and store it with ``SharedLog/beginSnapshot(_:withinMilliseconds:_:)`` and
        /// the calls that follow. The end is reported with ``ClusterNode/snapshotEnded(_:at:)``. The replica goes on
        /// while the snapshot is made.
        case makeSnapshot
        /// Replace the replica by a snapshot. The end is reported with ``ClusterNode/snapshotLoadEnded(_:at:)``.
        case loadSnapshot(Snapshot)
        /// End the process. The node does nothing more.
        case stop(StopReason)
    }

    /// A call of the log. It gets exactly one end, which is reported with the event that is named.
    package enum LogCall: Hashable, Sendable {
        /// The call ``SharedLog/join(_:withinMilliseconds:_:)``, whose end is reported with
        /// ``ClusterNode/joinEnded(_:at:)``.
        case join(JoiningNode)
        /// The call ``SharedLog/append(_:withinMilliseconds:_:)``, whose end is reported with
        /// ``ClusterNode/appendEnded(_:at:)``.
        case append(LogEntry)
        /// The call ``SharedLog/expire(_:silence:withinMilliseconds:_:)``, whose end is reported with
        /// ``ClusterNode/appendEnded(_:at:)``.
        case expire(LogEntry, silence: RequiredSilence?)
        /// The call ``SharedLog/settle(_:withinMilliseconds:_:)``, whose end is reported with
        /// ``ClusterNode/settleEnded(_:at:)``.
        case settle(LogEntry.ID)
        /// The call ``SharedLog/read(after:limit:withinMilliseconds:_:)``, whose end is reported with
        /// ``ClusterNode/readEnded(_:at:)``.
        case read(after: LogPosition)
        /// The call ``SharedLog/awaitEntries(after:withinMilliseconds:_:)`` within
        /// ``Options/entryWaitMilliseconds``, whose end is reported with ``ClusterNode/awaitEnded(_:at:)``.
        case awaitEntries(after: LogPosition)
        /// The call ``SharedLog/renew(_:withinMilliseconds:_:)``, whose end is reported with
        /// ``ClusterNode/renewEnded(_:at:)``.
        case renew(NodeProgress)
        /// The call ``SharedLog/trim(through:snapshotsBefore:withinMilliseconds:_:)``, whose end is reported with
        /// ``ClusterNode/trimEnded(at:)``.
        case trim(RetentionRule.Trim)
    }

    /// The entries that the caller must apply to the replica.
    package struct EntriesToApply: Hashable, Sendable {
        package var first: LogPosition
        /// The entries, at least one.
        package var entries: [LogEntry]
        /// The batches of this node whose callers wait, by the index of the batch's entry.
        package var batches: [Int: BatchID] = [:]
    }

    /// The result of applying entries.
    package struct ApplyResult: Sendable {
        /// The hash after each entry, in order.
        package var hashes: [RunningHash]
        /// The positions of urgent entries, such as those of UNREGISTER, mute and a pause: after them no push to some
        /// recipients may begin. The answer waits until each node has applied the entry or may no longer push. The
        /// delivery engine of this node knows of them before they are reported here.
        package var urgent: Set<LogPosition>

        package init(hashes: [RunningHash], urgent: Set<LogPosition>) { (self.hashes, self.urgent) = (hashes, urgent) }
    }

    /// The id of a batch of changes that this node appends.
    package struct BatchID: Hashable, Sendable {
        /// The number, 1 or more.
        package let number: UInt64
    }

    /// The result of a batch of changes.
    package enum BatchEnd: Hashable, Sendable {
        /// The changes are applied, and have their answers. The answers that must wait for other nodes wait for
        /// ``Action/answerChanges(through:)``.
        case applied(LogPosition)
        /// The changes had no effect and will have none.
        case refused(LogError)
        /// The changes may have an effect or not: it is not known.
        case unknown
    }
}
