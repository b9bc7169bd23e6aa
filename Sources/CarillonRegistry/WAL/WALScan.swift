import CarillonCore
import CarillonWire

/// One reading of a write-ahead log: finds the records that the database lacks, and tells the end of the log from
/// damage.
///
/// Records reach the disk one after the other: the next one is written when the one before is on the disk. So there is
/// no newer record than one that was being written when the process ended. If there is a newer one, the record was
/// answered, and has been damaged since.
struct WALScan {
    /// Records that the database lacks, in order from the stored one without a gap: their number, and of their changes.
    private(set) var records = 0
    private(set) var changes = 0
    /// The last of them, or the stored position.
    private(set) var lastLSN: UInt64
    private(set) var state: UUIDBytes?
    /// Where they are, in their order.
    private(set) var places: [Range<Int>] = []
    /// True if a record follows that is not whole: it was being written when the process ended.
    private(set) var isTorn = false
    /// Why records behind the last one cannot be applied; nil if that is the end of the log.
    private(set) var damage: WALDamage?

    private let file: WALFile
    private let version: WALHeader.Version
    private let secret: UInt64
    private let count: Int

    /// Reads a log.
    ///
    /// - Parameter body: called with each record that the database lacks, in order.
    /// - Throws: what reading or `body` throws.
    init(
        _ file: WALFile, version: WALHeader.Version, secret: UInt64, after stored: WALPosition,
        _ body: (WALRecord) throws -> Void = { _ in }
    ) throws {
        (self.file, self.version, self.secret, count) = (file, version, secret, try file.byteCount)
        (lastLSN, state) = (stored.lsn, stored.state)
        while let next = try nextRecord() {
            try body(next)
            records += 1
            changes += next.changeCount
            (lastLSN, state) = (next.lsn, next.state)
            if places.last?.upperBound == next.offset {
                places[places.count - 1] = places[places.count - 1].lowerBound..<next.end
            } else {
                places.append(next.offset..<next.end)
            }
        }
        try end()
    }

    /// Pieces in which the records that the database lacks may be, and more: a log that has so many was not written by
    /// this program.
    private static let maximumPlaces = 64

    /// The record that follows the last one: behind it, or anywhere else.
    private func nextRecord() throws(RegistryError) -> WALRecord? {
        if let next = try record(at: places.last?.upperBound ?? version.firstRecord), follows(next) { return next }
        guard places.count < Self.maximumPlaces, lastLSN < .max else { return nil }
        var offset = version.firstRecord
        while let start = try nextStart(from: offset) {
            if let probe = try WALRecord.probe(at: start, in: file), probe.lsn == lastLSN + 1,
                let next = try record(at: start), follows(next)
            {
                return next
            }
            offset = start + 1
        }
        return nil
    }

    /// Looks for what is behind the last record: nothing, a record that is not whole, or damage.
    private mutating func end() throws(RegistryError) {
        isTorn = try hasPart(of: lastLSN)
        guard let newer = try newerRecord(from: version.firstRecord) else { return }
        let isOfAnotherTime = records == 0 && !isTorn && (newer.offset == version.firstRecord || continues(newer))
        damage = WALDamage(isOfAnotherTime ? .doesNotFollow : .unreadable(lastLSN + 1), try lost(from: newer))
        isTorn = false
    }

    /// Returns true if there is a part of the record after an LSN, but not the whole one.
    private func hasPart(of lsn: UInt64) throws(RegistryError) -> Bool {
        var offset = version.firstRecord
        while lsn < .max, let start = try nextStart(from: offset) {
            if let probe = try WALRecord.probe(at: start, in: file), probe.lsn == lsn + 1 {
                return try record(at: start) == nil
            }
            offset = start + 1
        }
        return false
    }

    /// Counts the records of a log above an LSN, whether they follow on each other or not.
    static func count(
        _ file: WALFile, version: WALHeader.Version, secret: UInt64, above lsn: UInt64
    ) throws(RegistryError) -> WALDamage.Lost? {
        let scan = try WALScan(file, version: version, secret: secret, above: lsn)
        guard let first = try scan.newerRecord(from: version.firstRecord) else { return nil }
        return try scan.lost(from: first)
    }

    /// The whole record with the highest LSN; nil if there is none.
    static func newest(
        _ file: WALFile, version: WALHeader.Version, secret: UInt64
    ) throws(RegistryError) -> WALRecord? {
        let scan = try WALScan(file, version: version, secret: secret, above: 0)
        var starts: [(lsn: UInt64, offset: Int)] = []
        var offset = version.firstRecord
        while let start = try scan.nextStart(from: offset) {
            if let probe = try WALRecord.probe(at: start, in: file) { starts.append((probe.lsn, start)) }
            offset = start + 1
        }
        for start in starts.sorted(by: { $0.lsn > $1.lsn }) {
            if let record = try scan.record(at: start.offset) { return record }
        }
        return nil
    }

    private init(
        _ file: WALFile, version: WALHeader.Version, secret: UInt64, above lsn: UInt64
    ) throws(RegistryError) {
        (self.file, self.version, self.secret, count) = (file, version, secret, try file.byteCount)
        lastLSN = lsn
    }

    private func record(at offset: Int) throws(RegistryError) -> WALRecord? {
        try WALRecord(at: offset, in: file, version: version, secret: secret, count: count)
    }

    /// Returns true if a record has the LSN after the last one.
    private func continues(_ record: WALRecord) -> Bool { lastLSN < .max && record.lsn == lastLSN + 1 }

    /// Returns true if a record continues where the log has ended so far.
    private func follows(_ record: WALRecord) -> Bool {
        guard continues(record) else { return false }
        guard let state, let follows = record.follows else { return true }
        return follows == state
    }

    // MARK: Newer records

    /// The first whole record at or behind an offset whose LSN is above that of the last one.
    private func newerRecord(from offset: Int) throws(RegistryError) -> WALRecord? {
        var offset = offset
        while let start = try nextStart(from: offset) {
            if let probe = try WALRecord.probe(at: start, in: file), probe.lsn > lastLSN,
                let record = try record(at: start), record.lsn > lastLSN
            {
                return record
            }
            offset = start + 1
        }
        return nil
    }

    /// The first offset at or behind `offset` at which a record of the file may begin.
    private func nextStart(from offset: Int) throws(RegistryError) -> Int? {
        switch version {
        case .two, .three:
            var start = WALRecord.start(from: offset, version)
            while start < count {
                if let probe = try WALRecord.probe(at: start, in: file), probe.secret == secret { return start }
                start += WALRecord.alignment
            }
            return nil
        case .one:
            // Records have no borders: wherever the secret is.
            var start = offset + WALRecord.prefixBytes
            let needle = withUnsafeBytes(of: secret.bigEndian) { Array($0) }
            while start < count {
                let piece = try file.read(Self.pieceBytes, at: start)
                if let index = Self.index(of: needle, in: piece) { return start + index - WALRecord.prefixBytes }
                guard piece.count == Self.pieceBytes else { return nil }
                start += piece.count - needle.count + 1
            }
            return nil
        }
    }

    private static let pieceBytes = 1 << 20

    private static func index(of needle: [UInt8], in bytes: [UInt8]) -> Int? {
        var start = bytes.startIndex
        while let found = bytes[start...].firstIndex(of: needle[0]) {
            if bytes[found...].starts(with: needle) { return found }
            start = found + 1
        }
        return nil
    }

    /// What is lost if the log ends before a record.
    private func lost(from record: WALRecord) throws(RegistryError) -> WALDamage.Lost {
        var lost = WALDamage.Lost(first: lastLSN &+ 1, last: record.lsn, whole: 1, changes: record.changeCount)
        var offset = record.end
        while let next = try newerRecord(from: offset) {
            lost.last = max(lost.last, next.lsn)
            lost.whole += 1
            lost.changes += next.changeCount
            offset = next.end
        }
        return lost
    }
}

extension WALRecord {
    /// The number of changes in it.
    var changeCount: Int { ChangeRecordCodec.count(in: frames) }
}

/// Why changes of a write-ahead log that were answered cannot be applied.
struct WALDamage: Equatable {
    enum Kind: Equatable {
        /// The record of this LSN.
        case unreadable(UInt64)
        /// The log follows another state of the database than this one.
        case doesNotFollow
        /// The header cannot be read.
        case header
        /// The log belongs to a registry with this epoch.
        case ofAnotherRegistry(UUIDBytes)
        /// There is no log, or another, although the database was not closed.
        case missing
        /// There is a log, but no database.
        case withoutDatabase
    }

    /// Records that are lost without them being applied.
    struct Lost: Equatable {
        var first: UInt64
        var last: UInt64
        /// Records among them that can be read, and the number of their changes.
        var whole: Int
        var changes: Int
    }

    let kind: Kind
    /// Nil if that cannot be known.
    let lost: Lost?

    init(_ kind: Kind, _ lost: Lost?) {
        (self.kind, self.lost) = (kind, lost)
    }

    /// What is wrong, and what is lost.
    var description: String {
        let what =
            switch kind {
            case .unreadable(let lsn): "record \(lsn) cannot be read, although its changes were answered"
            case .doesNotFollow: "it does not follow on what is stored: the log or data.mdb is from another time"
            case .header: "its header cannot be read"
            case .ofAnotherRegistry(let epoch): "it belongs to another registry, with the epoch \(epoch)"
            case .missing:
                "it is missing, or it is another one, and the server was not stopped in the regular way: changes may be "
                    + "lost that were answered shortly before"
            case .withoutDatabase: "it has changes that were answered, but data.mdb is missing or empty"
            }
        guard let lost else { return "journal: " + what }
        return "journal: \(what). Not stored are the records \(lost.first) to \(lost.last); "
            + "\(lost.whole) of them can be read, with \(lost.changes) changes"
    }

    /// What an operator can do.
    var advice: String {
        switch kind {
        case .withoutDatabase:
            "Put data.mdb back, or restore a backup. For a new registry move the file journal away."
        case .doesNotFollow, .ofAnotherRegistry, .missing:
            "Put the files back that belong together, or restore a backup, or go on without these changes: "
                + "carillon-dump log --cut"
        case .header, .unreadable: "Restore a backup, or go on without these changes: carillon-dump log --cut"
        }
    }

    var error: RegistryError { .corrupted("\(description). \(advice)") }
}
