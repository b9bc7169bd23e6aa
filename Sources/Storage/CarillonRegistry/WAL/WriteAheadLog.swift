import CarillonCore

/// The write-ahead log: one file with the changes that are answered and that the database may lack after a power cut,
/// one record a batch.
///
/// Each commit stores the LSN (log sequence number) of the last record whose changes it contains. The sync of a commit
/// may be deferred. So the newest commit may be lost in a power cut, and a start goes on from the commit before it,
/// unless a record says that the newest one is durable. For that the log keeps two segments: the records between the
/// two commits, and those since the newest one. With each commit the older segment becomes free. The next records are
/// written over it, and after the other segment where they do not fit.
///
/// A replay finds records by their LSNs, wherever they are. Both commits contain the records with older LSNs, whose
/// bytes may still be in the file. Clients have sent these bytes: without the secret of the file a client could forge a
/// record.
///
/// The forms are in ``WALHeader`` and ``WALRecord``. The log belongs to the writer thread, or to a ``HelperThread``
/// that the writer waits for.
final class WriteAheadLog {
    private let directory: WALDirectory
    private let epoch: UUIDBytes
    /// The open file; nil if the directory has none that can be used.
    private var file: WALFile?
    private var header: WALHeader?
    /// The records since the newest commit.
    private var segment = Segment()
    /// The records between the newest commit and the one before.
    private var olderSegment = Segment()
    /// The LSN of the record that was written last, or of the last one whose changes the database contains.
    private(set) var lastLSN: UInt64
    /// A random name of the state of the database after the changes that were applied last. Each record stores the
    /// state that it follows, so that no record is applied to another database.
    private var state: UUIDBytes
    /// The number of the newest durable commit of the database, for the next record.
    var durableCommit: UInt64 = 0

    /// A segment of the log: extents of the file, in the order of their records.
    ///
    /// Only the number of records bounds the number of extents: the records of a segment fill the gaps of the segment
    /// before, so it can have one extent more. ``WALScan`` finds records in any number of extents.
    private struct Segment {
        private(set) var extents: [Range<Int>] = []
        private(set) var byteCount = 0
        /// The offset after all extents; 0 without one.
        private(set) var end = 0

        init(_ extents: [Range<Int>] = []) {
            for extent in extents { append(extent) }
        }

        mutating func append(_ extent: Range<Int>) {
            byteCount += extent.count
            end = max(end, extent.upperBound)
            if let last = extents.last, last.upperBound == extent.lowerBound {
                extents[extents.count - 1] = last.lowerBound..<extent.upperBound
            } else {
                extents.append(extent)
            }
        }

        /// Sorts the extents by their offsets, as ``findFree(_:from:)`` needs them. No record is appended after that.
        mutating func sortByOffset() { extents.sort { $0.lowerBound < $1.lowerBound } }

        /// Finds an extent of `count` bytes at `offset` or after it that is not in the segment.
        func findFree(_ count: Int, from offset: Int) -> Range<Int> {
            // A binary search for the first extent that ends after the offset.
            var index = 0
            var end = extents.count
            while index < end {
                let middle = index + (end - index) / 2
                if extents[middle].upperBound <= offset { index = middle + 1 } else { end = middle }
            }
            var start = offset
            while index < extents.count, extents[index].lowerBound < start + count {
                start = extents[index].upperBound
                index += 1
            }
            return start..<start + count
        }
    }

    /// Opens the log of a registry. Nothing is written before ``prepare()``.
    ///
    /// - Parameter stored: the state of the log that the database stores.
    /// - Throws: `.corrupted` with a sentence and an advice if answered changes are lost, `.storageFailed` if the file
    ///   cannot be read.
    init(directory: WALDirectory, epoch: UUIDBytes, stored: StoredWAL) throws(RegistryError) {
        let found = try WALInspection(directory, epoch: epoch, stored: stored, isReadOnly: false)
        if let damage = found.damage { throw damage.error }
        self.directory = directory
        self.epoch = epoch
        file = found.file
        header = found.header
        lastLSN = stored.position.lsn
        state = stored.position.state ?? .random()
    }

    /// The secret of the file, which the database stores while it relies on the log; nil if there is no file.
    var secret: UInt64? { header?.secret }

    /// True if the file has bytes after its header: records that a start would read.
    var hasRecords: Bool {
        get throws(RegistryError) {
            guard let file, let header else { return false }
            return try file.byteCount > header.version.firstRecordOffset
        }
    }

    /// Makes the file ready for records: makes it if there is none, or if it has the format of an older version, and
    /// removes what it contains. Both commits of the database contain all records.
    func prepare() throws(RegistryError) {
        if let header, header.version == .current {
            try removeRecords()
        } else {
            try createFile()
        }
    }

    /// Makes an empty file in the place of any other, with the secret of the one before: the database stores it
    /// already.
    private func createFile() throws(RegistryError) {
        let header = WALHeader(epoch: epoch, secret: header?.secret ?? .random(in: 1 ... .max))
        file = try directory.createFile { (file) throws(RegistryError) in try file.write(header.bytes, at: 0) }
        self.header = header
    }

    /// The position after the last record, or after the last commit if there is no record.
    var position: WALPosition { WALPosition(lsn: lastLSN, state: state) }

    /// Makes the file anew after it was removed, moved or replaced. Both commits of the database contain all records.
    func replaceLostFile() throws(RegistryError) {
        precondition(byteCount == 0 && olderSegment.byteCount == 0)
        try createFile()
    }

    // MARK: Writing

    /// The result of an append. The record is on the disk.
    enum AppendResult: Sendable {
        /// A start finds the record.
        case appended
        /// The file has lost its name: no start would find a record in it.
        case fileLost
    }

    /// The number of bytes of the records since the last commit.
    var byteCount: Int { segment.byteCount }

    /// Writes a record and waits until it is on the disk.
    ///
    /// - Parameter frames: the changes, as ``ChangeRecordCodec`` encodes them; ``WALRecord/fits(_:)`` is true.
    /// - Throws: `.storageFailed`; it is unknown then whether the record is on the disk.
    func append(_ frames: [UInt8]) throws(RegistryError) -> AppendResult {
        let (lsn, overflows) = lastLSN.addingReportingOverflow(1)
        guard let file, let header, header.version == .current, !overflows else {
            throw .storageFailed("\(directory.logPath) is not ready for a record")
        }
        let record = WALRecord.encode(
            frames, lsn: lsn, previousState: state, durableCommit: durableCommit, secret: header.secret)
        let offset = max(segment.end, header.version.firstRecordOffset)
        let extent = olderSegment.findFree(WALRecord.start(from: record.byteCount, .current), from: offset)
        let end = try file.byteCount
        let growth = Self.growthBytes(of: end)
        if extent.upperBound > end, extent.count < growth / 4 {
            file.grow(from: end, to: extent.upperBound + growth)
        }
        try file.write(record.prefix, at: extent.lowerBound)
        try file.write(record.body, at: extent.lowerBound + record.prefix.count)
        try file.sync()
        segment.append(extent)
        lastLSN = lsn
        state = record.state
        return try directory.hasLog(file) ? .appended : .fileLost
    }

    /// Returns the number of bytes that a file of `byteCount` bytes gets in advance when it must grow. If each record
    /// changed the size, each sync would wait for the file system's journal as well. A record of a quarter of this
    /// number or more makes the file grow by itself, and gets nothing in advance.
    ///
    /// A file doubles until it grows by 1 MiB at a time, so the first record after a start waits for few zeros.
    private static func growthBytes(of byteCount: Int) -> Int { min(1 << 20, max(1 << 16, byteCount)) }

    /// Makes the current segment the older one, after a commit of the database that contains all changes of the log.
    /// The records between this commit and the one before stay, because a start may go on from there.
    func rotateSegments() {
        (segment, olderSegment) = (Segment(), segment)
        olderSegment.sortByOffset()
    }

    /// Gives the database another state, because changes are committed without the log. A record is applied only to the
    /// state that it names, so from now on no earlier record fits the database.
    func renewState() { state = .random() }

    /// Removes the records, whose changes are in both commits of the database. They are not only useless: they contain
    /// tokens of devices, and a device may be unregistered by now.
    func removeRecords() throws(RegistryError) {
        precondition(byteCount == 0 && olderSegment.byteCount == 0)
        guard try hasRecords, let file, let header else { return }
        try file.truncate(to: header.version.firstRecordOffset)
    }

    // MARK: Reading

    /// Finds the records that the database lacks. Call it before ``replay(after:_:)``: nothing is applied of a log
    /// that is damaged.
    ///
    /// - Throws: `.corrupted` if answered changes are lost: records were damaged since the log was opened, or since
    ///   they were written. The next start then refuses as well.
    func findMissingRecords(after stored: WALPosition) throws(RegistryError) -> WALScan? {
        guard let file, let header else { return nil }
        do {
            let scan = try WALScan(file, format: header.recordFormat, after: stored)
            if let damage = scan.damage { throw damage.error }
            guard scan.lastLSN >= lastLSN else {
                let lost = WALDamage.LostRecords(
                    first: scan.lastLSN + 1, last: lastLSN, readableCount: 0, changeCount: 0)
                try keepAnsweredLSN(file)
                throw WALDamage(.unreadable(scan.lastLSN + 1), lost: lost).error
            }
            return scan
        } catch {
            throw RegistryError(reading: error)
        }
    }

    /// Writes the LSN of the last answered record into the header. A start cannot see from a damaged record at the end
    /// of the log whether it was answered, or was being written when the process ended. For example, records 1 to 90
    /// are answered, and 90 is damaged. With 90 in the header the next start refuses too, instead of going on with 89.
    private func keepAnsweredLSN(_ file: WALFile) throws(RegistryError) {
        guard var header, header.version != .one else { return }
        header.answeredLSN = lastLSN
        try file.write(header.bytes, at: 0)
        try file.sync()
    }

    /// Calls `body` with each record after the stored position, in order. The next record that is appended follows the
    /// last of them.
    ///
    /// - Throws: what reading or `body` throws.
    func replay(after stored: WALPosition, _ body: (WALRecord) throws -> Void) throws {
        guard let file, let header else { return }
        let scan = try WALScan(file, format: header.recordFormat, after: stored, body)
        lastLSN = scan.lastLSN
        // A log that was just opened goes on after its records.
        if byteCount == 0, olderSegment.byteCount == 0 { segment = Segment(scan.extents) }
        if let state = scan.state { self.state = state }
    }
}
