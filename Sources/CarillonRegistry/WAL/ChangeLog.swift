import CarillonCore

/// The one sequence of changes that were made durable: records with an LSN each, in the order in which they are applied.
///
/// Every batch of changes is appended here before it is applied and answered. ``WriteAheadLog`` keeps the log in a file
/// of this machine. A log that several nodes share is a second keeper: its records may be those of other nodes.
protocol ChangeLog: AnyObject {
    /// The position after the last record.
    var position: WALPosition { get }

    /// Bytes of the records since the log was trimmed last.
    var byteCount: Int { get }

    /// Appends a record and waits until it is durable.
    ///
    /// - Parameter frames: the changes, as ``ChangeRecordCodec`` encodes them; ``WALRecord/canHold(_:)`` is true.
    /// - Returns: false if no start would find the record: then it is not durable.
    /// - Throws: `.storageFailed`; it is unknown then whether the record is durable.
    func append(_ frames: [UInt8]) throws(RegistryError) -> Bool

    /// Calls `body` with each record behind a position, in order.
    ///
    /// - Throws: what reading or `body` throws.
    func read(after position: WALPosition, _ body: (WALRecord) throws -> Void) throws

    /// Trims the log: a commit of the database contains all its changes. The records between this commit and the one
    /// before stay, because a start may go on from there.
    func trim()
}
