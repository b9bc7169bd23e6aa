/// The two ends of a log.
package struct LogHead: Hashable, Sendable {
    /// The position of the last entry; 0 if the log is empty.
    package var position: LogPosition
    /// The position up to which entries are not kept any more.
    package var trimmed: LogPosition

    package init(position: LogPosition, trimmed: LogPosition) { (self.position, self.trimmed) = (position, trimmed) }
}
