import CarillonCluster
import CarillonCore

/// Reads the view of the cluster, after renewing a lease if there is progress to publish.
struct ViewJob: Job {
    /// The progress that is published; nil to read only.
    let progress: NodeProgress?

    mutating func start(with features: DatabaseFeatures) -> Pipeline {
        var calls: [StatementCall] = []
        if let progress {
            calls.append(
                SQL.renew(
                    .text(progress.member.node.text), .int(Int64(clamping: progress.member.incarnation)),
                    .int(Int64(clamping: progress.applied.number)), .bytes(progress.hash.bytes),
                    .int(Int64(clamping: progress.leaseMilliseconds)), .text(progress.address), .text(progress.version),
                    .int(Int64(progress.newestFormat))))
        }
        calls += [
            SQL.head(), SQL.nodes(.int(Int64(ClusterView.maximumNodes))),
            SQL.snapshots(.int(Int64(ClusterView.maximumSnapshots))),
        ]
        return progress == nil ? Pipeline.notCommitting(calls) : .committing(calls)
    }

    mutating func answered(_ rows: [Rows]) throws(LogError) -> JobStep<ClusterView> {
        var rows = rows[...]
        if progress != nil {
            guard let renewed = rows.popFirst() else { throw .corrupted("a renewal has no answer") }
            guard renewed.count == 1 else { return .fail(.fenced) }
        }
        guard rows.count == 3, let head = rows.popFirst(), let nodes = rows.popFirst(), let snapshots = rows.popFirst()
        else { throw .corrupted("the log has no head") }
        return .finish(
            ClusterView(
                log: try head.row(0).uuid(SQL.HeadColumn.log), ends: try LogEnds(head),
                nodes: try nodes.map { row throws(LogError) in try NodeStatus(row) }
                    .sorted { $0.member.node < $1.member.node },
                snapshots: try snapshots.map { row throws(LogError) in try Snapshot(row) }))
    }
}

extension NodeStatus {
    fileprivate init(_ row: Rows.Row) throws(LogError) {
        typealias Column = SQL.NodeStatusColumn
        let progress = NodeProgress(
            member: try row.member(Column.member), applied: try row.position(Column.applied),
            hash: try row.uuid(Column.hash), leaseMilliseconds: try row.unsigned(Column.leaseMilliseconds),
            address: try row.text(Column.address), version: try row.text(Column.version),
            newestFormat: try row.narrow(Column.newestFormat))
        // The log database's clock may have gone back since.
        let silence = UInt64(max(0, try row.int(Column.silenceMilliseconds)))
        self.init(
            progress: progress, renewals: try row.unsigned(Column.renewals), silenceMilliseconds: silence,
            isLive: try !row.bool(Column.isOver))
    }
}

extension Snapshot {
    fileprivate init(_ row: Rows.Row) throws(LogError) {
        typealias Column = SQL.SnapshotColumn
        let header = SnapshotHeader(
            member: try row.member(Column.maker), position: try row.position(Column.position),
            hash: try row.uuid(Column.hash), format: try row.narrow(Column.format))
        self.init(
            id: SnapshotID(try row.unsigned(Column.id)), header: header, chunks: try row.narrow(Column.chunks),
            bytes: try row.unsigned(Column.bytes))
    }
}
