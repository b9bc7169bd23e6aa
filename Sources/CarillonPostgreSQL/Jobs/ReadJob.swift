import CarillonCluster
import CarillonCore

/// Reads entries that follow a position.
struct ReadJob: Job {
    let position: LogPosition
    let limit: ReadLimit

    mutating func start(with features: DatabaseFeatures) -> Pipeline {
        // The head comes second: what is trimmed before the entries are read is marked when the head is.
        let calls = [
            SQL.read(
                .int(Int64(clamping: position.number)), .int(Int64(limit.entries)), .int(Int64(limit.bytes))),
            SQL.head(),
        ]
        return Pipeline.notCommitting(calls)
    }

    mutating func answered(_ rows: [Rows]) throws(LogError) -> Step<LogPage> {
        guard rows.count == 2 else { throw .corrupted("the log has no head") }
        let head = try LogHead(rows[1])
        guard let first = position.next else { return .finish(LogPage(first: position, entries: [], head: head)) }
        var expected = first
        var entries: [LogEntry] = []
        for index in 0..<rows[0].count {
            let row = rows[0].row(index)
            let found = try row.position(0)
            guard found == expected, let next = expected.next else {
                if head.trimmed >= expected { throw .trimmed(through: head.trimmed) }
                throw .corrupted("entry \(expected) is missing")
            }
            let bytes = try row.bytes(1)
            do throws(LogEntry.ParseError) {
                entries.append(try LogEntry(bytes))
            } catch {
                throw .corrupted("entry \(expected): \(error)")
            }
            expected = next
        }
        if entries.isEmpty {
            if head.trimmed >= first { throw .trimmed(through: head.trimmed) }
            if head.position < position {
                throw .corrupted("the log ends at \(head.position), and this node has had entry \(position)")
            }
        }
        return .finish(LogPage(first: first, entries: entries, head: head))
    }
}

/// Reads the head of the log, and the entries that follow a position if there are some.
///
/// If they cannot be read, there are none: the node reads them then, and is told why.
struct NewsJob: Job {
    private var read: ReadJob

    init(position: LogPosition) { read = ReadJob(position: position, limit: ReadLimit()) }

    mutating func start(with features: DatabaseFeatures) -> Pipeline { read.start(with: features) }

    mutating func answered(_ rows: [Rows]) throws(LogError) -> Step<LogPage> {
        // Why try?: the head is news enough: the node reads then, and meets the error.
        if let step = try? read.answered(rows) { return step }
        guard let last = rows.last else { throw .corrupted("the log has no head") }
        return .finish(LogPage(head: try LogHead(last)))
    }
}

extension LogHead {
    /// Reads the row of the head.
    init(_ rows: Rows) throws(LogError) {
        guard rows.count == 1 else { throw .corrupted("the log has no head") }
        self.init(position: try rows.row(0).position(0), trimmed: try rows.row(0).position(1))
    }
}

/// Reads what the log database knows about the cluster, after renewing a lease if there is one.
struct ViewJob: Job {
    /// What is published; nil to read only.
    let progress: NodeProgress?

    mutating func start(with features: DatabaseFeatures) -> Pipeline {
        var calls: [Call] = []
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

    mutating func answered(_ rows: [Rows]) throws(LogError) -> Step<ClusterView> {
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
            progress: progress, renewals: try row.unsigned(8), silenceMilliseconds: silence, isOver: try row.bool(10))
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
