package import CarillonCluster
package import CarillonCore

/// The row of `meta` that says how far a replica is made from the shared log. It is written with every commit.
package struct ReplicaRecord: Hashable, Sendable {
    /// The id of the data directory: 16 random bytes (``JoiningNode/replicaID``).
    package var replicaID: UUIDBytes
    /// The log, how far it is applied, and the kind of its initial state.
    package var state: ReplicaState
    /// The members that are not over at that position.
    package var live = LiveMembers()

    /// Makes the row of a directory that belongs to no log.
    ///
    /// - Parameter hasForeignData: true if the directory has data, which come from no log.
    package init(replicaID: UUIDBytes = .random(), hasForeignData: Bool) {
        self.replicaID = replicaID
        state = ReplicaState()
        state.hasForeignData = hasForeignData
    }

    /// Called when an entry is applied. Afterwards the row is the one that follows the entry.
    ///
    /// - Parameter answers: the answers to the changes of the entry, for the running hash.
    /// - Returns: the members that the entry has ended.
    mutating func entryApplied(_ entry: LogEntry, at position: LogPosition, answers: ArraySlice<UInt8>) -> [Member] {
        let ended = live.apply(entry)
        if case .initialState(let initialState) = entry.content, state.initialState == nil {
            state.initialState = initialState.kind
        }
        state.applied.entryApplied(at: position, answers: answers)
        return ended
    }

    // MARK: Bytes

    private static let version: UInt8 = 1
    private static let hasLogFlag: UInt8 = 1
    private static let hasDataFlag: UInt8 = 2

    /// The version `u8` 1, flags `u8` (1: a log, 2: data that come from no log), the replica id and the log, 16 bytes
    /// each, the position `u64`, the hash, 16 bytes, the kind of the initial state `u8` (0: none, else 1 more than its
    /// number), then the live members (``LiveMembers/bytes``).
    var bytes: [UInt8] {
        let members = live.bytes
        let flags = (state.log == nil ? 0 : Self.hasLogFlag) | (state.hasForeignData ? Self.hasDataFlag : 0)
        return ByteWriter.bytes(capacity: 59 + members.count) {
            $0.append(Self.version)
            $0.append(flags)
            $0.append(replicaID)
            $0.append(state.log ?? .zero)
            $0.append(state.applied.position.number)
            $0.append(state.applied.value)
            $0.append(state.initialState.map { $0.rawValue + 1 } ?? 0)
            $0.append(contentsOf: members)
        }
    }

    /// Reads ``bytes``.
    init(_ reader: inout ByteReader) throws {
        try reader.version(Self.version)
        let flags = try reader.flags(upTo: Self.hasDataFlag)
        let replicaID = try reader.uuid()
        let log = try reader.uuid()
        self.init(replicaID: replicaID, hasForeignData: flags & Self.hasDataFlag != 0)
        state.log = flags & Self.hasLogFlag != 0 ? log : nil
        let position = LogPosition(try reader.number())
        guard position <= .last else { throw reader.corrupted("a position of the shared log") }
        state.applied = RunningHash(position: position, value: try reader.uuid())
        let kind: UInt8 = try reader.number()
        if kind > 0 {
            guard let kind = InitialState.Kind(rawValue: kind - 1) else {
                throw reader.corrupted("an invalid initial state")
            }
            state.initialState = kind
        }
        do {
            live = try LiveMembers(Array(try reader.take(reader.remaining)))
        } catch {
            throw reader.corrupted("the live members of the shared log")
        }
    }
}
