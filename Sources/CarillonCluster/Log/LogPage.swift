/// How much a read returns at most.
package struct ReadLimit: Hashable, Sendable {
    /// Entries, 1 to ``maximumEntries``.
    package var entries: Int
    /// Bytes of all encoded entries; one entry is returned if it has more.
    package var bytes: Int

    /// Entries of one read at most.
    package static let maximumEntries = 1_000
    /// Bytes of one read at most, 16 MiB.
    package static let maximumBytes = 16 << 20

    /// Makes a limit; numbers out of range become the nearest in range.
    package init(entries: Int = 256, bytes: Int = 4 << 20) {
        self.entries = min(max(entries, 1), Self.maximumEntries)
        self.bytes = min(max(bytes, 1), Self.maximumBytes)
    }
}

/// Both ends of a log.
package struct LogHead: Hashable, Sendable {
    /// The position of the last entry; 0 of an empty log.
    package var position: LogPosition
    /// Entries up to this position are not kept any more.
    package var trimmed: LogPosition

    package init(position: LogPosition, trimmed: LogPosition) { (self.position, self.trimmed) = (position, trimmed) }
}

/// Entries of a log that follow on each other.
package struct LogPage: Hashable, Sendable {
    /// The position of the first entry.
    package var first: LogPosition
    package var entries: [LogEntry]
    /// The head of the log when they were read, or a moment later.
    package var head: LogHead

    package init(first: LogPosition, entries: [LogEntry], head: LogHead) {
        (self.first, self.entries, self.head) = (first, entries, head)
    }

    /// Makes a page without entries.
    package init(head: LogHead) { self.init(first: 0, entries: [], head: head) }
}
