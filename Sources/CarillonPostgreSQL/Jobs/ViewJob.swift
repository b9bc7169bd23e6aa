import CarillonCluster
import CarillonCore

/// A job that reads the view of the cluster, after renewing a lease if it has progress to publish.
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
                log: try head.row(0).uuid(2), head: try LogHead(head),
                nodes: try nodes.map { row throws(LogError) in try NodeStatus(row) }
                    .sorted { $0.member.node < $1.member.node },
                snapshots: try snapshots.map { row throws(LogError) in try Snapshot(row) }))
    }
}

extension NodeStatus {
    fileprivate init(_ row: Rows.Row) throws(LogError) {
        let progress = NodeProgress(
            member: try row.member(0), applied: try row.position(2), hash: try row.uuid(3),
            leaseMilliseconds: try row.unsigned(4),
            address: try row.text(5), version: try row.text(6), newestFormat: try row.narrow(7))
        // The log database's clock may have gone back since.
        let silence = UInt64(max(0, try row.int(9)))
        self.init(
            progress: progress, renewals: try row.unsigned(8), silenceMilliseconds: silence, isLive: try !row.bool(10))
    }
}

extension Snapshot {
    fileprivate init(_ row: Rows.Row) throws(LogError) {
        let header = SnapshotHeader(
            member: try row.member(1), position: try row.position(3), hash: try row.uuid(4), format: try row.narrow(5))
        self.init(
            id: SnapshotID(try row.unsigned(0)), header: header, chunks: try row.narrow(6), bytes: try row.unsigned(7))
    }
}
