import CarillonCore

/// The progress of the replica: the state that it has reached, the entries that are being applied, and its freshness.
struct ReplicaProgress: Sendable {
    private(set) var state: ReplicaState
    /// The entries that are being applied; nil if there are none.
    private(set) var applying: ClusterNode.EntriesToApply?
    /// The number of bytes of the entries that were applied since the node was made.
    private(set) var appliedBytes: UInt64 = 0
    private(set) var freshness: FreshnessRule

    init(_ state: ReplicaState, maximumStalenessMilliseconds: UInt64) {
        self.state = state
        freshness = FreshnessRule(
            maximumStalenessMilliseconds: maximumStalenessMilliseconds, applied: state.applied.position)
    }

    /// The position of the last entry that the replica contains.
    var position: LogPosition { state.applied.position }

    /// True if the entry that says what the state of the log begins with is applied, or is being applied.
    var hasInitialState: Bool {
        state.initialState != nil || applying?.entries.contains(where: \.isInitialState) == true
    }

    // MARK: The head of the log

    /// Returns a question for the head that is sent now.
    func query(at now: Uptime) -> HeadQuery { HeadQuery(askedAt: now, replicaPosition: position) }

    /// Takes the head that answers a question. Returns false if the log ends before the position that the replica had
    /// when it asked.
    mutating func headReported(_ head: LogPosition, answering query: HeadQuery) -> Bool {
        guard head >= query.replicaPosition else { return false }
        freshness.headReported(head, askedAt: query.askedAt)
        return true
    }

    // MARK: Applying

    /// Records the log to which the replica belongs: the node has joined it.
    mutating func logJoined(_ log: UUIDBytes) { state.log = log }

    /// Begins to apply the entries after ``position``. No other entries may be in application.
    mutating func begin(_ application: ClusterNode.EntriesToApply) { applying = application }

    /// Ends the application of entries, and returns them; nil unless there is one hash for each entry.
    mutating func end(_ hashes: [RunningHash]) -> [LogEntry]? {
        guard let entries = applying?.entries, hashes.count == entries.count else { return nil }
        applying = nil
        for (hash, entry) in zip(hashes, entries) {
            if case .initialState(let initialState) = entry.content, state.initialState == nil {
                state.initialState = initialState.kind
            }
            state.applied = hash
            appliedBytes &+= UInt64(entry.byteCount)
        }
        freshness.entriesApplied(through: position)
        return entries
    }

    /// Takes the state of a snapshot of the same log, which has replaced the replica.
    mutating func snapshotLoaded(_ loaded: ReplicaState) {
        let log = state.log
        state = loaded
        state.log = log
        freshness.entriesApplied(through: position)
    }
}
