/// The state of the write-ahead log that the database stores.
struct StoredWAL: Equatable {
    var position = WALPosition()
    /// The secret of the log that may have changes which the database lacks; nil after the database was closed, and in
    /// a copy.
    var secret: UInt64?
}
