/// An event of the write-ahead log, for the log of the server.
package enum WALNotice: Sendable, Equatable, CustomStringConvertible {
    /// The changes that were answered, and that the database lacked, are committed: at a start, or after a transaction
    /// that was given up.
    case replayed(records: Int, changes: Int, lastLSN: UInt64)
    /// A record was being written when the process ended; its changes were not answered.
    case dropped(lsn: UInt64)
    /// The file was removed, moved or replaced while it was in use. All changes are committed, and the file is made
    /// again.
    case replaced

    /// A sentence that describes the event.
    package var description: String {
        switch self {
        case .replayed(let records, let changes, let last):
            "\(changes) changes of \(records) records were applied, up to record \(last)"
        case .dropped(let lsn): "record \(lsn) is not whole and was not answered: it was dropped"
        case .replaced: "the file was removed or replaced while it was in use: its changes are committed"
        }
    }
}
