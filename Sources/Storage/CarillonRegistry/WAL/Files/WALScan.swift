import CarillonCore
import CarillonWire

/// Reads a write-ahead log, finds the records that the database lacks, and tells the end of the log from damage.
///
/// Records reach the disk one after the other: the next one is written when the one before is on the disk. So the
/// record that was being written when the process ended is the newest one. If a record cannot be read and there is a
/// newer one, its changes were answered, and it has been damaged since.
struct WALScan {
    /// The number of records that the database lacks. They follow the last stored one without a gap.
    private(set) var recordCount = 0
    /// The number of changes in these records.
    private(set) var changeCount = 0
    /// The LSN of the last of these records, or the stored one if there are none.
    private(set) var lastLSN: UInt64
    /// The state that the database has with all of these records; nil if neither the database nor a record names a
    /// state.
    private(set) var state: UUIDBytes?
    /// The extents of these records, in their order. Records that follow on each other are one extent.
    private(set) var extents: [Range<Int>] = []
    /// True if an incomplete record follows: it was being written when the process ended.
    private(set) var isTorn = false
    /// The reason why records after the last one cannot be applied; nil if the log ends there.
    private(set) var damage: WALDamage?

    private let file: WALFile
    private let format: WALHeader.RecordFormat
    private let byteCount: Int
    private let index: WALIndex

    /// Reads a log.
    ///
    /// - Parameter body: called with each record that the database lacks, in order.
    /// - Throws: what reading or `body` throws.
    init(
        _ file: WALFile, format: WALHeader.RecordFormat, after stored: WALPosition,
        _ body: (WALRecord) throws -> Void = { _ in }
    ) throws {
        try self.init(file, format: format, above: stored.lsn)
        state = stored.state
        while let next = try nextRecord() {
            try body(next)
            recordCount += 1
            changeCount += next.changeCount
            lastLSN = next.lsn
            state = next.state
            if let last = extents.last, last.upperBound == next.offset {
                extents[extents.count - 1] = last.lowerBound..<next.end
            } else {
                extents.append(next.offset..<next.end)
            }
        }
        try findEnd()
    }

    /// Makes a scan that knows where the records above an LSN are, and has read none.
    private init(_ file: WALFile, format: WALHeader.RecordFormat, above lsn: UInt64) throws(RegistryError) {
        self.file = file
        self.format = format
        byteCount = try file.byteCount
        index = try WALIndex(file, format: format, above: lsn)
        lastLSN = lsn
    }

    /// Returns the record that follows the last one; nil if no record follows. It may stand directly after it, or
    /// anywhere else in the file.
    private func nextRecord() throws(RegistryError) -> WALRecord? {
        guard lastLSN < .max else { return nil }
        let offsets = index.offsets(of: lastLSN + 1)
        let expected = extents.last?.upperBound ?? format.version.firstRecordOffset
        if offsets.contains(expected), let next = try readRecord(at: expected), follows(next) { return next }
        for offset in offsets where offset != expected {
            if let next = try readRecord(at: offset), follows(next) { return next }
        }
        return nil
    }

    /// Finds out what follows the last record: nothing, a record that is not whole, or damage.
    private mutating func findEnd() throws(RegistryError) {
        guard lastLSN < .max else { return }
        if let offset = index.offsets(of: lastLSN + 1).first { isTorn = try readRecord(at: offset) == nil }
        guard let (newer, lost) = try newerRecords() else { return }
        // No record was applied, and none is torn: the log does not begin where the database ends.
        let belongsToOtherState =
            recordCount == 0 && !isTorn && (newer.offset == format.version.firstRecordOffset || hasNextLSN(newer))
        damage = WALDamage(belongsToOtherState ? .doesNotFollow : .unreadable(lastLSN + 1), lost: lost)
        isTorn = false
    }

    /// Counts the records of a log above an LSN, whether they follow on each other or not; nil if there are none.
    static func count(
        _ file: WALFile, format: WALHeader.RecordFormat, above lsn: UInt64
    ) throws(RegistryError) -> WALDamage.LostRecords? {
        try WALScan(file, format: format, above: lsn).newerRecords()?.lost
    }

    /// Returns the whole record with the highest LSN; nil if the log has no record.
    static func newest(_ file: WALFile, format: WALHeader.RecordFormat) throws(RegistryError) -> WALRecord? {
        let scan = try WALScan(file, format: format, above: 0)
        for start in scan.index.starts.reversed() {
            if let record = try scan.readRecord(at: start.offset) { return record }
        }
        return nil
    }

    private func readRecord(at offset: Int) throws(RegistryError) -> WALRecord? {
        try WALRecord(at: offset, in: file, version: format.version, secret: format.secret, count: byteCount)
    }

    /// Returns true if a record has the LSN after the last one.
    private func hasNextLSN(_ record: WALRecord) -> Bool { lastLSN < .max && record.lsn == lastLSN + 1 }

    /// Returns true if a record continues where the log has ended so far.
    private func follows(_ record: WALRecord) -> Bool {
        guard hasNextLSN(record) else { return false }
        guard let state, let previousState = record.previousState else { return true }
        return previousState == state
    }

    /// Returns the first whole record of the file whose LSN is above that of the last one; nil if there is none. Also
    /// returns the records that are lost if the log ends before it.
    private func newerRecords() throws(RegistryError) -> (first: WALRecord, lost: WALDamage.LostRecords)? {
        var found: (first: WALRecord, lost: WALDamage.LostRecords)?
        var end = 0
        for start in index.startsByOffset(above: lastLSN) where start.offset >= end {
            guard let record = try readRecord(at: start.offset) else { continue }
            end = record.end
            var lost =
                found?.lost
                ?? WALDamage.LostRecords(first: lastLSN &+ 1, last: record.lsn, readableCount: 0, changeCount: 0)
            lost.last = max(lost.last, record.lsn)
            lost.readableCount += 1
            lost.changeCount += record.changeCount
            found = (found?.first ?? record, lost)
        }
        return found
    }
}

extension WALRecord {
    var changeCount: Int { ChangeRecordCodec.count(in: frames) }
}
