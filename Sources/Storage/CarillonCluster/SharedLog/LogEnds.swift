/// The two ends of a log.
package struct LogEnds: Hashable, Sendable {
    /// The head: the position of the last entry; 0 if the log is empty.
    package var head: LogPosition
    /// The position of the last entry that was removed; 0 if none was.
    package var trimmed: LogPosition

    package init(head: LogPosition, trimmed: LogPosition) { (self.head, self.trimmed) = (head, trimmed) }
}
