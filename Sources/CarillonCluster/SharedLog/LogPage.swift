/// A page of entries of a log, which follow on each other.
package struct LogPage: Hashable, Sendable {
    /// The position of the first entry.
    package var first: LogPosition
    /// The entries in the order of the log, without a gap.
    package var entries: [LogEntry]
    /// The head of the log when the entries were read, or a moment later.
    package var head: LogHead

    package init(first: LogPosition, entries: [LogEntry], head: LogHead) {
        (self.first, self.entries, self.head) = (first, entries, head)
    }

    /// The page has no entries.
    package init(head: LogHead) { self.init(first: 0, entries: [], head: head) }
}
