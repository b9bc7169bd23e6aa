package import CarillonCluster
package import CarillonCore

/// The tables of a simulated log database, and the effect of each call on them, as one step. It is the model of
/// PostgreSQL.
package struct SimulatedState: Sendable {
    private struct Node: Sendable {
        var incarnation: UInt64
        var replicaID: UUIDBytes
        /// The greatest sequence that was appended or settled. Only greater ones can be appended.
        var sequence: UInt64
        /// The last sequence that was appended, and its position.
        var appended: (sequence: UInt64, position: LogPosition)
        var isOver = false
        var progress: NodeProgress
        var renewals: UInt64
        var renewedAt: UInt64
    }

    private struct IncompleteSnapshot: Sendable {
        var id: SnapshotID
        var header: SnapshotHeader
        var chunks: [UInt32: [UInt8]] = [:]
    }

    private struct CompleteSnapshot: Sendable {
        var snapshot: Snapshot
        var chunks: [UInt32: [UInt8]]
    }

    private var log: UUIDBytes?
    private var logEnds = LogEnds(head: 0, trimmed: 0)
    private var incarnations: UInt64 = 0
    private var entries: [LogPosition: [UInt8]] = [:]
    private var positions: [LogEntry.ID: LogPosition] = [:]
    private var nodes: [NodeName: Node] = [:]
    /// The nodes as of the last append, or as of a later renewal: the first after 60 ms without a sync by a renewal. A
    /// crash of the log database leaves these renewals.
    private var synced: [NodeName: Node] = [:]
    private var syncedAt: UInt64 = 0
    private var incompleteSnapshot: IncompleteSnapshot?
    private var completeSnapshots: [CompleteSnapshot] = []
    private var lastSnapshot: UInt64 = 0
    /// True if members that are over may append: a planted fault, which the judges must find.
    package var isFencingOff = false

    package init() {}

    /// All entries that are kept, in order.
    package var keptEntries: [(LogPosition, LogEntry)] {
        entries.keys.sorted().compactMap { position in
            entries[position].flatMap { bytes in (try? LogEntry(bytes)).map { (position, $0) } }
        }
    }

    package var headPosition: LogPosition { logEnds.head }

    /// Changes a byte of each complete snapshot, as a planted fault.
    package mutating func damageSnapshots() {
        for index in completeSnapshots.indices { completeSnapshots[index].chunks[0]?[0] ^= 1 }
    }

    /// True if a snapshot is complete.
    package var hasSnapshot: Bool { !completeSnapshots.isEmpty }

    /// Returns the entries after a position that are kept.
    package func entries(after position: LogPosition) -> [LogEntry] {
        guard position < logEnds.head else { return [] }
        return (position.number + 1...logEnds.head.number).compactMap { number in
            entries[LogPosition(number)].flatMap { try? LogEntry($0) }
        }
    }

    /// Loses the renewals that are not in ``synced``, as a log database does that fails over and has not synced them.
    package mutating func loseRenewals() {
        for (name, node) in synced where nodes[name]?.incarnation == node.incarnation {
            nodes[name]?.renewals = node.renewals
            nodes[name]?.renewedAt = node.renewedAt
            nodes[name]?.progress = node.progress
        }
    }

    // MARK: Entries

    package mutating func join(_ node: JoiningNode, newLog: UUIDBytes, at now: UInt64) throws(LogError) -> JoinedNode {
        let log = self.log ?? newLog
        if let found = nodes[node.name], !found.isOver, found.replicaID != node.replicaID,
            now < found.renewedAt + found.progress.leaseMilliseconds
        {
            throw .nameInUse("another data directory has it")
        }
        self.log = log
        incarnations += 1
        let member = Member(node: node.name, incarnation: incarnations)
        let progress = NodeProgress(
            member: member, applied: 0, hash: .zero, leaseMilliseconds: node.leaseMilliseconds, address: node.address,
            version: "", newestFormat: 0)
        nodes[node.name] = Node(
            incarnation: incarnations, replicaID: node.replicaID, sequence: 1, appended: (1, 0), progress: progress,
            renewals: 1, renewedAt: now)
        let id = LogEntry.ID(member: member, sequence: 1)
        guard let entry = LogEntry(id: id, format: node.format, content: .joined) else { throw .refused("too large") }
        let position = put(entry)
        nodes[node.name]?.appended.position = position
        return JoinedNode(member: member, position: position, log: log)
    }

    package mutating func append(
        _ entry: LogEntry, silence: RequiredSilence?, at now: UInt64
    ) throws(LogError) -> LogPosition {
        let id = entry.id
        guard log != nil else { throw .refused("the tables of the log are missing") }
        if positions[id] != nil { throw .unavailable(.unknown, "an earlier append has arrived") }
        let isLive = nodes[id.member.node].map { $0.incarnation == id.member.incarnation && !$0.isOver } ?? false
        guard isLive || isFencingOff else { throw .fenced }
        guard let sequence = nodes[id.member.node]?.sequence, sequence < id.sequence || !isLive else {
            throw .refused("the sequence was used")
        }
        switch entry.content {
        case .expired(let expired):
            guard var node = nodes[expired.node], node.incarnation == expired.incarnation, !node.isOver else {
                throw .leaseRenewed
            }
            if let silence {
                let passed = now > node.renewedAt ? now - node.renewedAt : 0
                guard node.renewals == silence.renewals, passed >= silence.milliseconds else { throw .leaseRenewed }
            }
            node.isOver = true
            nodes[expired.node] = node
        case .left: nodes[id.member.node]?.isOver = true
        case .changes, .joined, .initialState: break
        }
        let position = put(entry)
        if isLive {
            nodes[id.member.node]?.sequence = id.sequence
            nodes[id.member.node]?.appended = (id.sequence, position)
        }
        return position
    }

    package mutating func settle(_ id: LogEntry.ID) -> Settlement {
        if let position = positions[id] { return .appended(position) }
        guard let node = nodes[id.member.node] else { return .never }
        guard node.incarnation == id.member.incarnation else { return logEnds.trimmed > 0 ? .forgotten : .never }
        // Its entry may be trimmed already.
        if node.appended.sequence == id.sequence { return .appended(node.appended.position) }
        nodes[id.member.node]?.sequence = max(node.sequence, id.sequence)
        return .never
    }

    private mutating func put(_ entry: LogEntry) -> LogPosition {
        let position = logEnds.head.next ?? logEnds.head
        logEnds.head = position
        entries[position] = entry.bytes
        positions[entry.id] = position
        synced = nodes
        return position
    }

    package func read(after position: LogPosition, limit: ReadLimit) throws(LogError) -> LogPage {
        guard log != nil else { throw .refused("the tables of the log are missing") }
        guard let first = position.next else { return LogPage(first: position, entries: [], ends: logEnds) }
        guard logEnds.trimmed < first else { throw .trimmed(through: logEnds.trimmed) }
        guard logEnds.head >= position else { throw .corrupted("the log ends before") }
        var next = first
        var bytes = 0
        var found = [LogEntry]()
        while let entry = entries[next], found.count < limit.entries {
            bytes += entry.count
            guard found.isEmpty || bytes <= limit.bytes else { break }
            do {
                found.append(try LogEntry(entry))
            } catch {
                throw .corrupted("entry \(next): \(error)")
            }
            guard let following = next.next else { break }
            next = following
        }
        return LogPage(first: first, entries: found, ends: logEnds)
    }

    package func ends() throws(LogError) -> LogEnds {
        guard log != nil else { throw .refused("the tables of the log are missing") }
        return logEnds
    }

    // MARK: Nodes

    package mutating func renew(_ progress: NodeProgress, at now: UInt64) throws(LogError) -> ClusterView {
        guard var node = nodes[progress.member.node], node.incarnation == progress.member.incarnation, !node.isOver
        else { throw .fenced }
        // The log database writes what is not synced after a while; here after less than any margin.
        if now >= syncedAt + 60 { (synced, syncedAt) = (nodes, now) }
        node.progress = progress
        node.renewals += 1
        node.renewedAt = now
        nodes[progress.member.node] = node
        return try view(at: now)
    }

    package func view(at now: UInt64) throws(LogError) -> ClusterView {
        guard let log else { throw .refused("the tables of the log are missing") }
        let statuses = nodes.keys.sorted().compactMap { nodes[$0] }.map { node in
            NodeStatus(
                progress: node.progress, renewals: node.renewals,
                silenceMilliseconds: now > node.renewedAt ? now - node.renewedAt : 0, isLive: !node.isOver)
        }
        return ClusterView(
            log: log, ends: logEnds, nodes: statuses, snapshots: completeSnapshots.reversed().map(\.snapshot))
    }

    // MARK: Snapshots

    package mutating func beginSnapshot(_ header: SnapshotHeader) throws(LogError) -> SnapshotID {
        if let maker = incompleteSnapshot?.header.member, maker != header.member, let node = nodes[maker.node],
            node.incarnation == maker.incarnation, !node.isOver
        {
            throw .snapshotUnderWay(by: maker)
        }
        lastSnapshot += 1
        incompleteSnapshot = IncompleteSnapshot(id: SnapshotID(lastSnapshot), header: header)
        return SnapshotID(lastSnapshot)
    }

    package mutating func putSnapshotChunk(_ bytes: [UInt8], number: UInt32, of id: SnapshotID) throws(LogError) {
        guard incompleteSnapshot?.id == id else { throw .noSnapshot }
        incompleteSnapshot?.chunks[number] = bytes
    }

    package mutating func completeSnapshot(_ id: SnapshotID, chunks count: UInt32) throws(LogError) {
        if let done = completeSnapshots.first(where: { $0.snapshot.id == id }) {
            guard done.snapshot.chunks == count else { throw .refused("chunks are missing") }
            return
        }
        guard let incompleteSnapshot, incompleteSnapshot.id == id else { throw .noSnapshot }
        guard Set(incompleteSnapshot.chunks.keys) == Set(0..<count) else { throw .refused("chunks are missing") }
        let bytes = incompleteSnapshot.chunks.values.reduce(0) { $0 + UInt64($1.count) }
        let snapshot = Snapshot(id: id, header: incompleteSnapshot.header, chunks: count, bytes: bytes)
        completeSnapshots.append(CompleteSnapshot(snapshot: snapshot, chunks: incompleteSnapshot.chunks))
        completeSnapshots.sort {
            ($0.snapshot.header.position, $0.snapshot.id.number) < ($1.snapshot.header.position, $1.snapshot.id.number)
        }
        self.incompleteSnapshot = nil
    }

    package func snapshotChunk(_ number: UInt32, of id: SnapshotID) throws(LogError) -> [UInt8] {
        guard let bytes = completeSnapshots.first(where: { $0.snapshot.id == id })?.chunks[number] else {
            throw .noSnapshot
        }
        return bytes
    }

    package mutating func trim(through position: LogPosition, snapshotsBefore old: LogPosition) throws(LogError) {
        let newest = completeSnapshots.last?.snapshot.header.position ?? 0
        guard position <= max(newest, logEnds.trimmed), old <= newest, position <= logEnds.head else {
            throw .refused("no complete snapshot")
        }
        logEnds.trimmed = max(logEnds.trimmed, position)
        for (id, found) in positions where found <= position { positions[id] = nil }
        entries = entries.filter { $0.key > position }
        completeSnapshots.removeAll { $0.snapshot.header.position < old }
    }
}
