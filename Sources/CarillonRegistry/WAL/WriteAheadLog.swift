import CarillonCore

/// The write-ahead log: one file with the changes that are answered and not yet committed to the database, one record a
/// batch.
///
/// Each commit stores the LSN (log sequence number) of the last record whose changes it contains, and each record names
/// the state of the database that it follows. So records are not removed after a commit: the next record is written
/// over the first one, and replay goes by the LSNs. Bytes behind the last whole record, and records with an older LSN,
/// are committed already or were never answered. They contain what clients have sent: without the secret of the file a
/// client could forge a record there.
///
/// The forms are in ``WALHeader`` and ``WALRecord``. It belongs to the writer thread, or to a ``LogAppender`` that the
/// writer waits for.
final class WriteAheadLog: ChangeLog {
    private let directory: WALDirectory
    private let epoch: UUIDBytes
    /// The open file; nil if there is none that can be used.
    private var file: WALFile?
    private var header: WALHeader?
    /// The offset of the next record.
    private var end: Int
    /// The LSN of the record that was written last, or of the last one whose changes the database contains.
    private(set) var lastLSN: UInt64
    /// The state of the database after the changes that were applied last.
    private var state: UUIDBytes

    /// Opens the log of a registry. Nothing is written before ``prepare()``.
    ///
    /// - Parameter stored: what the database stores about its log.
    /// - Throws: `.corrupted` with a sentence and an advice if answered changes are lost, `.storageFailed` if the file
    ///   cannot be read.
    init(directory: WALDirectory, epoch: UUIDBytes, stored: StoredWAL) throws(RegistryError) {
        let found = try WALInspection(directory, epoch: epoch, stored: stored, isReadOnly: false)
        if let damage = found.damage { throw damage.error }
        (self.directory, self.epoch, file, header) = (directory, epoch, found.file, found.header)
        end = (found.header?.version ?? .two).firstRecord
        (lastLSN, state) = (stored.position.lsn, stored.position.state ?? .random())
    }

    /// The secret of the file, which the database stores while it relies on the log; nil if there is no file.
    var secret: UInt64? { header?.secret }

    /// Makes the file ready for records, which all are committed: makes it if there is none, or if it has the form of
    /// an older version, and removes what it contains.
    func prepare() throws(RegistryError) {
        if let file, header?.version == .two {
            if try file.byteCount > WALRecord.alignment { try file.truncate(to: WALRecord.alignment) }
            end = WALRecord.alignment
        } else {
            try makeFile()
        }
    }

    /// Makes an empty file in the place of any other, with the secret of the one before: the database stores it already.
    private func makeFile() throws(RegistryError) {
        let header = WALHeader(epoch: epoch, secret: header?.secret ?? .random(in: 1 ... .max))
        file = try directory.make { (file) throws(RegistryError) in try file.write(header.bytes, at: 0) }
        (self.header, end) = (header, WALRecord.alignment)
    }

    /// The position after the last record, or after the last commit without one.
    var position: WALPosition { WALPosition(lsn: lastLSN, state: state) }

    /// Makes the file again after it was removed, moved or replaced. All records are committed.
    func makeAgain() throws(RegistryError) {
        precondition(byteCount == 0)
        try makeFile()
    }

    // MARK: Writing

    /// Bytes of the records since the last checkpoint.
    var byteCount: Int { end - (header?.version ?? .two).firstRecord }

    /// Writes a record and waits until it is on the disk; see ``ChangeLog/append(_:)``.
    ///
    /// - Returns: false if the file has lost its name, so that no start would find what is written to it.
    func append(_ frames: [UInt8]) throws(RegistryError) -> Bool {
        let (lsn, overflows) = lastLSN.addingReportingOverflow(1)
        guard let file, let header, header.version == .two, !overflows else {
            throw .storageFailed("\(directory.logPath) is not ready for a record")
        }
        let record = WALRecord.encode(frames, lsn: lsn, follows: state, secret: header.secret)
        try file.write(record.prefix, at: end)
        try file.write(record.block, at: end + record.prefix.count)
        try file.sync()
        end = WALRecord.start(from: end + record.byteCount, .two)
        (lastLSN, state) = (lsn, record.state)
        return try directory.names(file)
    }

    /// The database contains all changes of the log, and has this state: the next record goes to the front.
    func trim(reaching state: UUIDBytes) {
        end = (header?.version ?? .two).firstRecord
        self.state = state
    }

    /// Removes the records, all of which are committed: they contain tokens of devices that may be unregistered by now.
    func removeRecords() throws(RegistryError) {
        precondition(byteCount == 0)
        guard let file, let header, try file.byteCount > header.version.firstRecord else { return }
        try file.truncate(to: header.version.firstRecord)
    }

    // MARK: Reading

    /// Finds the records that the database lacks. To be called before ``read(after:_:)``: nothing is applied of a log
    /// that is damaged.
    ///
    /// - Throws: `.corrupted` if answered changes are lost: records were damaged since the log was opened, or since
    ///   they were written. The next start then refuses as well.
    func check(after stored: WALPosition) throws(RegistryError) -> WALScan? {
        guard let file, let header else { return nil }
        do {
            let scan = try WALScan(file, version: header.version, secret: header.secret, after: stored)
            if let damage = scan.damage { throw damage.error }
            guard scan.lastLSN >= lastLSN else {
                let lost = WALDamage.Lost(first: scan.lastLSN + 1, last: lastLSN, whole: 0, changes: 0)
                try keepAnsweredLSN(file)
                throw WALDamage(.unreadable(scan.lastLSN + 1), lost).error
            }
            return scan
        } catch {
            throw RegistryError(reading: error)
        }
    }

    /// Damage at the end of the log looks as if a record had never been answered, so the header says that it was.
    private func keepAnsweredLSN(_ file: WALFile) throws(RegistryError) {
        guard var header, header.version == .two else { return }
        header.answeredLSN = lastLSN
        try file.write(header.bytes, at: 0)
        try file.sync()
    }

    /// Calls `body` with each record behind the stored position, in order. The next record goes behind them.
    ///
    /// - Throws: what reading or `body` throws.
    func read(after stored: WALPosition, _ body: (WALRecord) throws -> Void) throws {
        guard let file, let header else { return }
        let scan = try WALScan(file, version: header.version, secret: header.secret, after: stored, body)
        (end, lastLSN) = (scan.end, scan.lastLSN)
        if let state = scan.state { self.state = state }
    }
}
