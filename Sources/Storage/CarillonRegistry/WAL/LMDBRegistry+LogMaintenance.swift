package import CarillonCore
import CarillonLMDB
import Glibc

/// The write-ahead log of a data directory that no server uses, for `carillon-dump`.
extension LMDBRegistry {
    /// The contents of a write-ahead log, for an operator.
    package struct LogReport: Sendable {
        package var path: String
        /// The version of the form of the file, 1 to 3; nil if there is no log.
        package var version: Int?
        package var byteCount = 0
        /// The LSN of the last record whose changes are stored in the database; 0 before the first.
        package var storedLSN: UInt64
        /// The LSN of the last record that the next start applies; `storedLSN` if there is none.
        package var lastLSN: UInt64
        /// The number of records that the next start applies.
        package var recordCount = 0
        /// The number of their changes.
        package var changeCount = 0
        /// True if a record is cut off after the last one: it was never answered.
        package var isTorn = false
        /// A sentence about the damage and the loss; nil if the log is sound.
        package var damage: String?
        /// The advice for an operator about the damage; nil if the log is sound.
        package var advice: String?
        /// The LSNs of the records that are lost; nil if there are none, or their numbers cannot be known.
        package var lostLSNs: ClosedRange<UInt64>?
    }

    /// Reads the write-ahead log of the directory `path`, which no process uses. It makes only one change, which every
    /// start makes first: if the newest commit of the database may not be on the disk, it is dropped.
    ///
    /// - Throws: `.corrupted` if there is no database of this schema, `.storageFailed` if a file cannot be read.
    package static func logReport(at path: String) throws(RegistryError) -> LogReport {
        do throws(RegistryError) {
            let (inspection, stored, directory) = try inspectLog(at: path, while: .unused)
            return try LogReport(inspection, stored: stored, path: directory.logPath)
        } catch {
            let directory = try WALDirectory(path: path)
            guard case .corrupted(let reason) = error, DataFile.exists(in: path),
                try WALInspection.durableCommits(in: directory) == .unknown
            else { throw error }
            // The newest commit may be torn: log --cut finds that out.
            var report = LogReport(path: directory.logPath, storedLSN: 0, lastLSN: 0)
            if let file = try directory.openLog(isReadOnly: true) { report.byteCount = try file.byteCount }
            report.damage = "data.wal: it is missing, or its header cannot be read, and \(reason)"
            report.advice = "Restore a backup, or go on from the checkpoint before the newest: carillon-dump log --cut"
            return report
        }
    }

    /// The changes that ``cutLog(at:)`` has made.
    package struct LogCut: Sendable, Equatable {
        /// The path of the file as it was; nil if there was no file.
        package var keptPath: String?
        /// True if the newest commit of the database was dropped as well: no log says whether it was on the disk.
        package var hasDroppedCommit = false
    }

    /// Ends the write-ahead log of the directory `path` before the first record that cannot be applied. The file as it
    /// was gets another name. The changes after that record are lost; the records before it are applied by the next
    /// start.
    ///
    /// The log says which commits of the database are on the disk. If it is missing, or cannot be read, the newest
    /// commit may be torn: it is dropped, and the database is verified.
    ///
    /// - Returns: what was done; nil if nothing was damaged.
    /// - Throws: `.inUse` if a process uses the directory, `.corrupted` if the database is damaged as well, else as
    ///   ``logReport(at:)``.
    package static func cutLog(at path: String) throws(RegistryError) -> LogCut? {
        let lock = try DirectoryLock(path: path)
        defer { withExtendedLifetime(lock) {} }
        var cut = LogCut()
        let (inspection, stored, directory) = try inspectLogToCut(
            at: path, lock: lock, hasDroppedCommit: &cut.hasDroppedCommit)
        guard inspection.damage != nil else { return cut.hasDroppedCommit ? cut : nil }
        guard let file = inspection.file else {
            try updateLog(at: path, secret: nil)
            return cut
        }
        try directory.renameFormerLog(lock: lock)
        cut.keptPath = try directory.keepUnderAnotherName()
        if let scan = inspection.scan, scan.recordCount > 0, let header = try inspection.cutHeader(at: path, stored) {
            // Both commits of the database then have the position that the records follow. This matters because the
            // next start may drop the newer commit: the last record that stays may name the older commit, or an earlier
            // one, as durable.
            try updateLog(at: path, secret: stored.secret)
            let first = header.version.firstRecord
            _ = try directory.createFile { (made) throws(RegistryError) in
                try made.write(header.bytes, at: 0)
                var end = first
                for extent in scan.extents {
                    try made.write(try file.read(extent.count, at: extent.lowerBound), at: end)
                    end += extent.count
                }
            }
        } else {
            try updateLog(at: path, secret: nil)
            try directory.removeLog()
        }
        return cut
    }

    /// Inspects a log that is to be cut, after every commit was dropped that may not be on the disk.
    private static func inspectLogToCut(
        at path: String, lock: DirectoryLock, hasDroppedCommit: inout Bool
    ) throws(RegistryError) -> LogContents {
        do throws(RegistryError) {
            let found = try inspectLog(at: path, while: .locked(lock))
            guard let secret = found.stored.secret,
                let durable = try found.inspection.durableCommitsWithoutHeader(secret: secret)
            else { return found }
            if case .upTo(let durable) = durable {
                try withRegistryErrors { try DataFile.dropCommit(after: durable, in: path) }
                return try inspectLog(at: path, while: .locked(lock))
            }
        } catch {
            // A commit that is not on the disk looks like damage.
            guard case .corrupted = error, try WALInspection.durableCommits(in: WALDirectory(path: path)) == .unknown
            else { throw error }
        }
        hasDroppedCommit = try withRegistryErrors { try DataFile.dropNewestCommit(in: path) }
        let found = try inspectLog(at: path, while: .locked(lock))
        if hasDroppedCommit {
            let registry = try LMDBRegistry(reading: path)
            defer { registry.close() }
            let findings = try registry.verifyFile()
            if let finding = findings.first {
                throw .corrupted("data.mdb: \(findings.count) findings, the first is: \(finding). Restore a backup")
            }
        }
        return found
    }

    /// Runs `body`, whose errors are errors of reading or opening.
    private static func withRegistryErrors<R>(_ body: () throws -> R) throws(RegistryError) -> R {
        do {
            return try body()
        } catch {
            throw RegistryError(reading: error)
        }
    }

    /// Waits until the database in the directory `path`, which a server uses, contains the records that its log has
    /// now: later reads show every change that was answered before.
    ///
    /// - Parameter timeout: the longest time to wait.
    /// - Returns: false if the time is over: the last answered changes may be missing.
    /// - Throws: `.storageFailed` if a file cannot be read, `.corrupted` if there is no database of this schema.
    package static func waitUntilLogIsStored(
        at path: String, timeout: Duration = .seconds(30)
    ) throws(RegistryError) -> Bool {
        let end = ContinuousClock.now + timeout
        guard let target = try lastLSN(at: path, until: end) else { return true }
        let registry = try LMDBRegistry(reading: path)
        defer { registry.close() }
        while try registry.readAfterCheckpoint({ try $1.meta.storedWAL(in: $0) }).position.lsn < target {
            guard ContinuousClock.now < end else { return false }
            usleep(checkpointPollMicroseconds)
        }
        return true
    }

    /// Returns the LSN of the last record of a log that the database lacks; nil if it lacks none.
    private static func lastLSN(
        at path: String, until end: ContinuousClock.Instant
    ) throws(RegistryError) -> UInt64? {
        while true {
            let inspection = try inspectLog(at: path, while: .served).inspection
            // The server may have written to the log while it was read.
            if inspection.damage == nil { return inspection.scan.flatMap { $0.recordCount > 0 ? $0.lastLSN : nil } }
            guard ContinuousClock.now < end else { return .max }
            usleep(checkpointPollMicroseconds)
        }
    }

    private static let checkpointPollMicroseconds: UInt32 = 20_000

    /// Stores that the database in a directory relies on no write-ahead log: it is a copy.
    ///
    /// - Parameter keepsReplica: false to store that it belongs to no cluster either.
    static func detachLog(at path: String, keepsReplica: Bool) throws(RegistryError) {
        try updateLog(at: path, secret: nil, keepsReplica: keepsReplica)
    }

    private static func updateLog(
        at path: String, secret: UInt64?, keepsReplica: Bool = true
    ) throws(RegistryError) {
        try withRegistryErrors {
            var options = LMDBEnvironment.Options()
            options.maximumDatabases = Tables.databaseCount
            // The map is as large as the file says.
            options.mapBytes = 1
            let environment = try LMDBEnvironment(path: path, options: options)
            let meta = MetaTable(database: try environment.openDatabase("meta"))
            let claims = keepsReplica ? nil : ClaimTable(in: environment)
            try environment.write { transaction in
                try meta.putLogSecret(secret, in: &transaction)
                if !keepsReplica { try meta.putReplicaRecord(nil, in: &transaction) }
                try claims?.removeAll(in: &transaction)
                // Even if nothing changes, there is a new commit.
                try meta.putWALPosition(try meta.storedWAL(in: transaction).position, in: &transaction)
            }
        }
    }

    /// The user of the directory of a log.
    enum LogUser {
        /// A server uses the directory.
        case served
        /// No process uses the directory.
        case unused
        /// The caller has the lock of the directory.
        case locked(DirectoryLock)
    }

    /// The contents of a log, and the state of the log that its database stores.
    typealias LogContents = (inspection: WALInspection, stored: StoredWAL, directory: WALDirectory)

    /// Inspects the log of a directory. Unless a server uses the directory, the newest commit of the database is
    /// dropped first if the log says that it may not be on the disk.
    static func inspectLog(at path: String, while user: LogUser) throws(RegistryError) -> LogContents {
        let directory = try WALDirectory(path: path)
        if !DataFile.exists(in: path), let damage = try WALInspection.damage(withoutDatabase: directory) {
            throw damage.error
        }
        try withRegistryErrors {
            switch user {
            case .locked(let lock): try dropCommitInDoubt(at: path, log: directory, lock: lock)
            case .unused:
                guard case .upTo = try WALInspection.durableCommits(in: directory) else { return }
                try dropCommitInDoubt(at: path, log: directory, lock: DirectoryLock(path: path))
            case .served: break
            }
        }
        let registry = try LMDBRegistry(reading: path)
        defer { registry.close() }
        let stored = try registry.readAfterCheckpoint { try $1.meta.storedWAL(in: $0) }
        let inspection = try WALInspection(directory, epoch: registry.epoch, stored: stored, isReadOnly: true)
        return (inspection, stored, directory)
    }
}

extension LMDBRegistry.LogReport {
    fileprivate init(
        _ inspection: WALInspection, stored: StoredWAL, path: String
    ) throws(RegistryError) {
        self.path = path
        (storedLSN, lastLSN) = (stored.position.lsn, stored.position.lsn)
        if let file = inspection.file { byteCount = try file.byteCount }
        if let header = inspection.header { version = header.version.number }
        if let scan = inspection.scan {
            recordCount = scan.recordCount
            changeCount = scan.changeCount
            lastLSN = scan.lastLSN
            isTorn = scan.isTorn
        }
        guard let found = inspection.damage else { return }
        (damage, advice) = (found.description, found.advice)
        if let lost = found.lost, lost.first <= lost.last { lostLSNs = lost.first...lost.last }
    }
}

extension WALInspection {
    /// Returns the header of a log that keeps the records which can be applied; nil if their secret is unknown.
    fileprivate func cutHeader(at path: String, _ stored: StoredWAL) throws(RegistryError) -> WALHeader? {
        if let header { return WALHeader(version: header.version, epoch: header.epoch, secret: header.secret) }
        guard let secret = stored.secret else { return nil }
        let registry = try LMDBRegistry(reading: path)
        defer { registry.close() }
        return WALHeader(epoch: registry.epoch, secret: secret)
    }
}
