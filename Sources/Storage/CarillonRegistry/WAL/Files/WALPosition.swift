import CarillonCore

/// The last position of the write-ahead log whose changes the database contains. Every commit stores it.
struct WALPosition: Equatable {
    /// The LSN of the last record whose changes are all stored; 0 before the first.
    var lsn: UInt64 = 0
    /// The number of mutations of the next record that are stored as well, and so are not to be applied again.
    var storedMutations: UInt32 = 0
    /// The identity of the state of the database after that record, or after changes that were committed without a log.
    /// The next record names the state that it follows. Nil in a database of a program before version 2 of the log.
    var state: UUIDBytes?
}

extension WALPosition {
    /// Returns the position after `count` mutations of the next record.
    func reaching(mutations count: Int) -> WALPosition {
        WALPosition(lsn: lsn, storedMutations: UInt32(clamping: count), state: state)
    }
}
