import CarillonCore

/// The entries of the log that were read and wait to be applied, in the order of their positions and without a gap.
struct EntryQueue: Sendable {
    /// The position of the last entry that came, which may be applied already; the replica's position before the first
    /// entry.
    private(set) var fetched: LogPosition
    private(set) var entries: [LogEntry] = []
    /// The estimated bytes of the entries.
    private(set) var bytes = 0
    private let maximumEntries: Int
    private let maximumBytes: Int

    /// Makes the queue of the entries behind a position.
    ///
    /// - Parameter position: the position of the replica, after which the queue begins.
    init(after position: LogPosition, maximumEntries: Int, maximumBytes: Int) {
        fetched = position
        self.maximumEntries = maximumEntries
        self.maximumBytes = maximumBytes
    }

    /// True if the node should read more entries. One read may bring more than the bounds allow.
    var hasRoom: Bool { entries.count < maximumEntries && bytes < maximumBytes }

    /// True if the queue has the entry that says what the state of the log begins with.
    var hasInitialState: Bool { entries.contains(where: \.isInitialState) }

    /// Adds the entry after ``fetched``. Returns false if no position is left for it.
    mutating func append(_ entry: LogEntry) -> Bool {
        guard let next = fetched.next else { return false }
        fetched = next
        entries.append(entry)
        bytes += entry.estimatedBytes
        return true
    }

    /// Removes and returns the entries before the first that this program cannot apply, because its format is newer
    /// than `newestKnown`.
    mutating func takeApplicable(newestKnown: UInt16) -> [LogEntry] {
        let applicable = Array(entries.prefix { FormatRule.canApply($0, newestKnown: newestKnown) })
        entries.removeFirst(applicable.count)
        bytes -= applicable.reduce(0) { $0 + $1.estimatedBytes }
        return applicable
    }

    /// Removes the entries, because the replica is given up for a snapshot.
    mutating func removeAll() { (entries, bytes) = ([], 0) }

    /// Goes on after the position of a snapshot that was loaded. The queue is empty.
    mutating func restart(after position: LogPosition) { fetched = position }
}

extension LogEntry {
    /// The estimated size of the entry in bytes, with 64 for its head.
    var estimatedBytes: Int {
        if case .changes(let bytes) = content { bytes.count + 64 } else { 64 }
    }

    /// True if the entry says what the state of the log begins with.
    var isInitialState: Bool { if case .initialState = content { true } else { false } }
}
