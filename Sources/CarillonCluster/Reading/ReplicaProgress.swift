import CarillonCore

/// The progress of the replica: its contents, the entries that are being applied to it, and its freshness.
struct ReplicaProgress: Sendable {
    private(set) var replica: ClusterNode.Replica
    /// The entries that are being applied; nil if there are none.
    private(set) var applying: ClusterNode.Application?
    /// The number of bytes of the entries that were applied since the node was made.
    private(set) var appliedBytes: UInt64 = 0
    private(set) var freshness: FreshnessRule

    init(_ replica: ClusterNode.Replica, maximumStalenessMilliseconds: UInt64) {
        self.replica = replica
        freshness = FreshnessRule(
            maximumStalenessMilliseconds: maximumStalenessMilliseconds, applied: replica.hash.position)
    }

    /// The position of the last entry that the replica contains.
    var position: LogPosition { replica.hash.position }

    /// True if the entry that says what the state of the log begins with is applied, or is being applied.
    var hasInitialState: Bool {
        replica.initialState != nil || applying?.entries.contains(where: \.isInitialState) == true
    }

    // MARK: The head of the log

    /// Returns a question for the head that is sent now.
    func query(at now: Uptime) -> HeadQuery { HeadQuery(askedAt: now, applied: position) }

    /// Takes the head that answers a question. Returns false if the log ends before the position that the replica had
    /// then.
    mutating func headReported(_ head: LogPosition, _ query: HeadQuery) -> Bool {
        guard head >= query.applied else { return false }
        freshness.headReported(head, askedAt: query.askedAt)
        return true
    }

    // MARK: Applying

    /// Notes the log to which the replica belongs: the node has joined it.
    mutating func logJoined(_ log: UUIDBytes) { replica.log = log }

    /// Notes that entries behind ``position`` are being applied from now on. No other entries are being applied.
    mutating func begin(_ application: ClusterNode.Application) { applying = application }

    /// Notes that the entries under way are applied, and returns them; nil unless there is one hash for each entry.
    mutating func end(_ hashes: [RunningHash]) -> [LogEntry]? {
        guard let entries = applying?.entries, hashes.count == entries.count else { return nil }
        applying = nil
        for (hash, entry) in zip(hashes, entries) {
            if case .began(let initialState) = entry.content, replica.initialState == nil {
                replica.initialState = initialState.kind
            }
            replica.hash = hash
            appliedBytes &+= UInt64(entry.byteCount)
        }
        freshness.entriesApplied(through: position)
        return entries
    }

    /// Replaces the replica by a snapshot of the same log.
    mutating func replace(with loaded: ClusterNode.Replica) {
        let log = replica.log
        replica = loaded
        replica.log = log
        freshness.entriesApplied(through: position)
    }
}
