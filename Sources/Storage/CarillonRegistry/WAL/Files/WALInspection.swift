import CarillonCore
import CarillonLMDB

/// The state of the files of the write-ahead log, seen from the database. Make it before anything is applied or
/// written.
struct WALInspection {
    /// The log; nil if the directory has none that can be used.
    var file: WALFile?
    var header: WALHeader?
    /// The records that the database lacks; nil if no record can be told.
    var scan: WALScan?
    /// The reason why the registry must not be opened; nil if the log and the database belong together.
    var damage: WALDamage?

    /// Inspects the log in a directory.
    ///
    /// - Throws: `.storageFailed` if it cannot be read.
    init(_ directory: WALDirectory, epoch: UUIDBytes, stored: StoredWAL, isReadOnly: Bool) throws(RegistryError) {
        guard let file = try directory.openLog(isReadOnly: isReadOnly), try !Self.isEmpty(file) else {
            if stored.secret != nil { damage = WALDamage(.missing) }
            return
        }
        self.file = file
        guard let header = try Self.readHeader(of: file) else {
            // The database knows the secret, so the records can be counted nevertheless.
            var lost: WALDamage.LostRecords?
            if let secret = stored.secret {
                let format = WALHeader.RecordFormat(secret: secret)
                scan = try Self.scan(file, format: format, after: stored.position)
                lost = try WALScan.count(file, format: format, above: stored.position.lsn)
            }
            damage = WALDamage(.header, lost: lost)
            return
        }
        self.header = header
        guard header.epoch == epoch else {
            let records = try WALScan.count(file, format: header.recordFormat, above: 0)
            if stored.secret != nil || records != nil {
                damage = WALDamage(.ofAnotherRegistry(header.epoch), lost: records)
            } else {
                (self.file, self.header) = (nil, nil)
            }
            return
        }
        guard stored.secret == nil || stored.secret == header.secret else {
            damage = WALDamage(.missing)
            return
        }
        guard try !Self.hasAnotherSecret(file, than: header) else {
            damage = WALDamage(.header)
            return
        }
        let scan = try Self.scan(file, format: header.recordFormat, after: stored.position)
        self.scan = scan
        damage = scan.damage
        if damage == nil, header.answeredLSN > scan.lastLSN {
            damage = WALDamage(
                .unreadable(scan.lastLSN + 1),
                lost: WALDamage.LostRecords(
                    first: scan.lastLSN + 1, last: header.answeredLSN, readableCount: 0, changeCount: 0))
        }
    }

    /// The commits of a database that are durable, according to its log.
    enum DurableCommits: Equatable {
        /// The log has no record with the number of a commit: all commits are durable.
        case all
        /// The commit with this number is durable. The one after it is in doubt.
        case upTo(UInt64)
        /// The log is missing or cannot be read: the newest commit may be in doubt.
        case unknown
    }

    /// Finds out which commits of the database are durable.
    static func durableCommits(in directory: WALDirectory) throws(RegistryError) -> DurableCommits {
        guard let file = try directory.openLog(isReadOnly: true), let header = try readHeader(of: file) else {
            return .unknown
        }
        guard header.version == .three else { return .all }
        let newest = try WALScan.newest(file, format: header.recordFormat)
        return newest?.durableCommit.map { .upTo($0) } ?? .all
    }

    /// Drops the newest commit of the database beside the log if it is in doubt: after a power cut it may not be whole,
    /// and the log has its changes.
    ///
    /// - Parameter lock: the lock of the directory: no other process writes to the database.
    static func dropCommitInDoubt(in directory: WALDirectory, lock: DirectoryLock) throws {
        defer { withExtendedLifetime(lock) {} }
        // If it is unknown which commits are durable, the log is missing or damaged, and the start is refused.
        guard case .upTo(let durable) = try durableCommits(in: directory) else { return }
        try DataFile.dropCommit(after: durable, in: directory.path)
    }

    /// Finds out which commits are durable, for a database that relies on the log with the secret `secret`. If only the
    /// header of the log is damaged, its records tell it; nil if the log was inspected with its header.
    func durableCommitsWithoutHeader(secret: UInt64) throws(RegistryError) -> DurableCommits? {
        switch damage?.kind {
        case .header:
            guard header == nil, let file else { return nil }
            let newest = try WALScan.newest(file, format: WALHeader.RecordFormat(secret: secret))
            return newest?.durableCommit.map { .upTo($0) } ?? .unknown
        case .missing, .ofAnotherRegistry: return .unknown
        case .unreadable, .doesNotFollow, .withoutDatabase, nil: return nil
        }
    }

    /// Returns the damage of a directory without a database; nil if its log has no record.
    static func damage(withoutDatabase directory: WALDirectory) throws(RegistryError) -> WALDamage? {
        guard let file = try directory.openLog(isReadOnly: true), try !isEmpty(file) else { return nil }
        guard let header = try readHeader(of: file) else { return WALDamage(.withoutDatabase) }
        let records = try WALScan.count(file, format: header.recordFormat, above: 0)
        return records.map { WALDamage(.withoutDatabase, lost: $0) }
    }

    /// Returns true if the making of a log of version 1 was interrupted by a power cut.
    private static func isEmpty(_ file: WALFile) throws(RegistryError) -> Bool {
        let bytes = try file.read(WALHeader.Version.one.headerBytes + 1, at: 0)
        return bytes.count <= WALHeader.Version.one.headerBytes && bytes.allSatisfy { $0 == 0 }
    }

    private static func readHeader(of file: WALFile) throws(RegistryError) -> WALHeader? {
        WALHeader(try file.read(WALHeader.Version.current.headerBytes, at: 0))
    }

    /// Returns true if the first record is whole, but was written with another secret: the header of version 1 has no
    /// check. No client can write the bytes at that place.
    private static func hasAnotherSecret(_ file: WALFile, than header: WALHeader) throws(RegistryError) -> Bool {
        guard header.version == .one else { return false }
        let offset = header.version.firstRecordOffset
        let count = try file.byteCount
        let own = try WALRecord(at: offset, in: file, version: .one, secret: header.secret, count: count)
        let any = try WALRecord(at: offset, in: file, version: .one, secret: nil, count: count)
        return own == nil && any != nil
    }

    private static func scan(
        _ file: WALFile, format: WALHeader.RecordFormat, after position: WALPosition
    ) throws(RegistryError) -> WALScan {
        do {
            return try WALScan(file, format: format, after: position)
        } catch {
            throw RegistryError(reading: error)
        }
    }
}
