/// Consecutive entries of a log, as a read returns them.
package struct LogPage: Hashable, Sendable {
    package var first: LogPosition
    /// The entries in the order of the log, without a gap.
    package var entries: [LogEntry]
    /// The ends of the log when the entries were read, or a moment later.
    package var ends: LogEnds

    package init(first: LogPosition, entries: [LogEntry], ends: LogEnds) {
        self.first = first
        self.entries = entries
        self.ends = ends
    }

    /// The page has no entries.
    package init(ends: LogEnds) { self.init(first: 0, entries: [], ends: ends) }
}
