package import CarillonCore
import CarillonLMDB

/// The contents of the write-ahead log of a data directory that no process uses, for an operator.
package struct WALReport: Sendable {
    package var path: String
    /// The version of the format of the file, 1 to 3; nil if there is no log, or if its header cannot be read.
    package var version: Int?
    package var byteCount = 0
    /// The LSN of the last record whose changes are stored in the database; 0 before the first.
    package var storedLSN: UInt64 = 0
    /// The LSN of the last record that the next start applies; `storedLSN` if there is none.
    package var lastLSN: UInt64 = 0
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

    /// Reads the log of the directory `path`. It makes only one change, which every start makes first: if the newest
    /// commit of the database may not be on the disk, it is dropped.
    ///
    /// - Throws: `.corrupted` if there is no database of this schema, `.storageFailed` if a file cannot be read.
    package init(at path: String) throws(RegistryError) {
        let report: WALReport
        do throws(RegistryError) {
            report = try WALReport(InspectedLog(at: path, while: .unused))
        } catch {
            let directory = try WALDirectory(path: path)
            guard case .corrupted(let reason) = error, DataFile.exists(in: path),
                try WALInspection.durableCommits(in: directory) == .unknown
            else { throw error }
            // The newest commit may be torn: log --cut finds that out.
            report = try WALReport(withoutHeader: directory, reason: reason)
        }
        self = report
    }

    private init(_ log: InspectedLog) throws(RegistryError) {
        path = log.directory.logPath
        storedLSN = log.stored.position.lsn
        lastLSN = log.stored.position.lsn
        if let file = log.inspection.file { byteCount = try file.byteCount }
        if let header = log.inspection.header { version = header.version.number }
        if let scan = log.inspection.scan {
            recordCount = scan.recordCount
            changeCount = scan.changeCount
            lastLSN = scan.lastLSN
            isTorn = scan.isTorn
        }
        guard let found = log.inspection.damage else { return }
        damage = found.description
        advice = found.advice
        if let lost = found.lost, lost.first <= lost.last { lostLSNs = lost.first...lost.last }
    }

    /// Makes the report of a log that is missing or has no header, beside a database that cannot be read.
    private init(withoutHeader directory: WALDirectory, reason: String) throws(RegistryError) {
        path = directory.logPath
        if let file = try directory.openLog(isReadOnly: true) { byteCount = try file.byteCount }
        damage = "data.wal: it is missing, or its header cannot be read, and \(reason)"
        advice = "Restore a backup, or go on from the checkpoint before the newest: carillon-dump log --cut"
    }
}
