/// The two ends of a log.
package struct LogHead: Hashable, Sendable {
    /// The position of the last entry; 0 if the log is empty.
    package var position: LogPosition
    /// The position up to which entries are not kept any more.
    package var trimmed: LogPosition

    package init(position: LogPosition, trimmed: LogPosition) { (self.position, self.trimmed) = (position, trimmed) }
}

/// A page of entries of a log, which follow on each other.
package struct LogPage: Hashable, Sendable {
    /// The position of the first entry.
    package var first: LogPosition
    package var entries: [LogEntry]
    /// The head of the log when the entries were read, or a moment later.
    package var head: LogHead

    package init(first: LogPosition, entries: [LogEntry], head: LogHead) {
        (self.first, self.entries, self.head) = (first, entries, head)
    }

    /// The page has no entries.
    package init(head: LogHead) { self.init(first: 0, entries: [], head: head) }
}
