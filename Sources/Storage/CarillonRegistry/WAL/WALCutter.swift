package import CarillonCore
import CarillonLMDB

/// Cuts the write-ahead log of a data directory before the first record that cannot be applied. It holds the lock of
/// the directory.
package struct WALCutter {
    /// The result of a cut.
    package struct Cut: Sendable, Equatable {
        /// The path of the file as it was; nil if there was no file.
        package var keptPath: String?
        /// True if the newest commit of the database was dropped as well: no log says whether it was on the disk.
        package var hasDroppedCommit = false
    }

    private let path: String
    private let lock: DirectoryLock
    private var database: OfflineDatabase { OfflineDatabase(at: path) }

    /// Locks the directory `path`.
    ///
    /// - Throws: `.inUse` if a process uses the directory.
    package init(at path: String) throws(RegistryError) {
        self.path = path
        lock = try DirectoryLock(path: path)
    }

    /// Cuts the log. The file as it was gets another name. The changes after the last record that stays are lost; the
    /// records up to it are applied by the next start.
    ///
    /// The log says which commits of the database are on the disk. If it is missing, or cannot be read, the newest
    /// commit may be torn: it is dropped, and the database is verified.
    ///
    /// - Returns: what was done; nil if nothing was damaged.
    /// - Throws: `.corrupted` if the database is damaged as well, else as ``WALReport/init(at:)``.
    package func cut() throws(RegistryError) -> Cut? {
        defer { withExtendedLifetime(lock) {} }
        var cut = Cut()
        let log = try inspect(hasDroppedCommit: &cut.hasDroppedCommit)
        guard log.inspection.damage != nil else { return cut.hasDroppedCommit ? cut : nil }
        guard let file = log.inspection.file else {
            try database.detachLog()
            return cut
        }
        try log.directory.renameFormerLog(lock: lock)
        cut.keptPath = try log.directory.keepUnderAnotherName()
        if let scan = log.inspection.scan, scan.recordCount > 0, let header = try readHeader(of: log) {
            // This makes a commit, so that both commits of the database have the position that the records follow. The
            // next start may drop the newer one, because the last record that stays may name the older commit, or an
            // earlier one, as durable.
            try database.putLogSecret(log.stored.secret)
            _ = try log.directory.createFile { (made) throws(RegistryError) in
                try made.write(header.bytes, at: 0)
                var end = header.version.firstRecordOffset
                for extent in scan.extents {
                    try made.write(try file.read(extent.count, at: extent.lowerBound), at: end)
                    end += extent.count
                }
            }
        } else {
            try database.detachLog()
            try log.directory.removeLog()
        }
        return cut
    }

    /// Inspects the log, after the newest commit was dropped if it may not be on the disk.
    private func inspect(hasDroppedCommit: inout Bool) throws(RegistryError) -> InspectedLog {
        do throws(RegistryError) {
            let found = try InspectedLog(at: path, while: .locked(lock))
            guard let secret = found.stored.secret,
                let durable = try found.inspection.durableCommitsWithoutHeader(secret: secret)
            else { return found }
            if case .upTo(let durable) = durable {
                try RegistryError.whileReading { try DataFile.dropCommit(after: durable, in: path) }
                return try InspectedLog(at: path, while: .locked(lock))
            }
        } catch {
            // A commit that is not on the disk looks like damage.
            guard case .corrupted = error, try WALInspection.durableCommits(in: WALDirectory(path: path)) == .unknown
            else { throw error }
        }
        hasDroppedCommit = try RegistryError.whileReading { try DataFile.dropNewestCommit(in: path) }
        let found = try InspectedLog(at: path, while: .locked(lock))
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

    /// Returns the header of a log that keeps the records which can be applied; nil if their secret is unknown.
    private func readHeader(of log: InspectedLog) throws(RegistryError) -> WALHeader? {
        if let header = log.inspection.header {
            return WALHeader(version: header.version, epoch: header.epoch, secret: header.secret)
        }
        guard let secret = log.stored.secret else { return nil }
        let registry = try LMDBRegistry(reading: path)
        defer { registry.close() }
        return WALHeader(epoch: registry.epoch, secret: secret)
    }
}
