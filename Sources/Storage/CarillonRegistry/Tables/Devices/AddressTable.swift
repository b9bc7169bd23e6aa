import CarillonCore
import CarillonLMDB

/// The record of an address in the token index.
enum AddressRecord: Hashable {
    case device(DeviceID)
    /// No device has the address; its tombstone is in `tombstones`.
    case tombstone
}

/// The token index, which finds the device of an address.
///
/// `addresses` and `recent`: app `u32`, digest of the address (``AddressDigest``: `u64`, `u32`) → `u64`. The first byte
/// of the value is 1, and a device id follows; or it is 2, for a tombstone.
///
/// The address itself is in the record of the device, or in `tombstones`. The order of the rows is random, and each row
/// is used alone. Small rows mean fewer pages for a registration to write and for a lookup to read.
///
/// A new address is put into `recent`, which is small. A million new addresses change a few thousand pages, not one of
/// `addresses` each. Later they are moved into `addresses` in the order of the keys, many into each page. An address
/// has a row in one of the two at most. Its row in `recent` is written with others (``BufferedAddresses``).
struct AddressTable {
    let database: Database
    /// The database `recent`; nil in a database that was made before there was this table, and is only read.
    let recent: Database?

    private static let keyBytes = 16
    static let valueBytes = 8
    private static let formShift: UInt64 = 56

    func get(
        _ digest: AddressDigest, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> AddressRecord? {
        try Self.withKey(app: app, digest) { key in
            if let record = try transaction.get(key, in: database, Self.decode) { return record }
            return try recent.flatMap { try transaction.get(key, in: $0, Self.decode) }
        }
    }

    /// Stores the row of an address, in the table in which the address has a row already.
    func put(
        _ record: AddressRecord, for digest: AddressDigest, app: AppNumber, in transaction: inout WriteTransaction
    ) throws {
        try Self.withKey(app: app, digest) { key in
            try Self.withValue(record) { value in
                let isRecent = try recent.map { try transaction.contains(key, in: $0) } ?? false
                try transaction.put(value, for: key, in: isRecent ? recent ?? database : database)
            }
        }
    }

    func delete(_ digest: AddressDigest, app: AppNumber, in transaction: inout WriteTransaction) throws {
        try Self.withKey(app: app, digest) { key in
            for (database, _) in tables where try transaction.contains(key, in: database) {
                try transaction.delete(key, in: database)
            }
        }
    }

    /// Both tables, the recent one first: rows move from it to the other, so a walk over all rows that is interrupted
    /// misses none.
    private var tables: [(database: Database, isRecent: Bool)] {
        (recent.map { [($0, true)] } ?? []) + [(database, false)]
    }

    /// Calls `body` with every address of every app, first with those in `recent`.
    func forEach(
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (AppNumber, AddressDigest, AddressRecord) throws -> Void
    ) throws {
        for (database, _) in tables {
            try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
                let rowKey = try Self.readKey(key)
                try body(rowKey.app, rowKey.digest, try Self.decode(value))
                return .proceed
            }
        }
    }

    /// Returns the number of the rows of both tables.
    func count(in transaction: borrowing some Transaction & ~Copyable) throws -> Int {
        try tables.reduce(0) { $0 + (try transaction.count(in: $1.database)) }
    }

    /// A row, whether or not it can be read.
    struct Row {
        let rowKey: RowKey
        /// The record; nil if it cannot be read.
        let record: AddressRecord?
    }

    /// The key of a row, and the table that has the row.
    struct RowKey {
        let app: AppNumber
        let digest: AddressDigest
        /// True if the row is in `recent`.
        let isRecent: Bool

        fileprivate var bytes: [UInt8] {
            ByteWriter.bytes(capacity: AddressTable.keyBytes) { AddressTable.append(app, digest, to: &$0) }
        }
    }

    /// Calls `body` with the rows after a key, or with all rows. Skips rows whose keys have another length. A row that
    /// is moved between two calls is not missed, but may come twice.
    func forEachRow(
        after rowKey: RowKey?, in transaction: borrowing some Transaction & ~Copyable,
        _ body: (Row) throws -> IterationStep
    ) throws {
        for (database, isRecent) in tables where rowKey == nil || !isRecent || rowKey?.isRecent == true {
            let after = rowKey?.isRecent == isRecent ? rowKey?.bytes : nil
            var isStopped = false
            _ = try transaction.forEach(in: database, prefix: [UInt8]().span, after: after?.span) { key, value in
                guard key.count == Self.keyBytes else { return .proceed }
                let (app, digest) = try Self.readKey(key)
                let rowKey = RowKey(app: app, digest: digest, isRecent: isRecent)
                // Why try?: the caller judges a row that cannot be read.
                let next = try body(Row(rowKey: rowKey, record: try? Self.decode(value)))
                isStopped = next == .stop
                return next
            }
            if isStopped { return }
        }
    }

    // MARK: Recent rows

    /// Counts the page of a row among the changed pages before `insertRecent` writes the row.
    func countChangedPageOfRecentRow(in transaction: inout WriteTransaction) {
        transaction.countFutureChange(of: recent ?? database)
    }

    /// Writes the new rows of addresses that have none, quickest in the order of the keys. Their pages were counted by
    /// `countChangedPageOfRecentRow`.
    func insertRecent(_ rows: ArraySlice<BufferedAddresses.Row>, in transaction: inout WriteTransaction) throws {
        try transaction.withWriteCursor(in: recent ?? database, changedPages: 0) { cursor in
            for row in rows {
                guard let value = row.value else { continue }
                try Self.withKey(app: row.app, row.digest) { key in
                    try Self.withValue(value) { value in try cursor.put(value, for: key) }
                }
            }
        }
    }

    func recentCount(in transaction: borrowing some Transaction & ~Copyable) throws -> Int {
        try recent.map { try transaction.count(in: $0) } ?? 0
    }

    /// Moves rows of `recent` after a key into `addresses`, in the order of the keys. A row whose key or value has
    /// another length stays.
    ///
    /// - Parameter limit: rows that are moved at most.
    /// - Returns: the key of the last row; nil if there are no rows after it.
    func moveRecentRows(after rowKey: RowKey?, limit: Int, in transaction: inout WriteTransaction) throws -> RowKey? {
        guard let recent else { return nil }
        var rows: [(rowKey: RowKey, value: UInt64)] = []
        rows.reserveCapacity(limit)
        let after = rowKey?.bytes
        try transaction.forEach(in: recent, prefix: [UInt8]().span, after: after?.span) { key, value in
            guard key.count == Self.keyBytes, value.count == Self.valueBytes else { return .proceed }
            let (app, digest) = try Self.readKey(key)
            let word: UInt64 = try ByteReader.read(value, of: "recent") { try $0.number() }
            rows.append((RowKey(app: app, digest: digest, isRecent: true), word))
            return rows.count < limit ? .proceed : .stop
        }
        let pages = try changedPages(byMoving: rows.count, in: transaction)
        try transaction.withWriteCursor(in: database, changedPages: pages) { cursor in
            for (rowKey, value) in rows {
                try Self.withKey(app: rowKey.app, rowKey.digest) { key in
                    try ByteWriter.withBytes(capacity: Self.valueBytes, { $0.append(value) }) { value in
                        try cursor.put(value, for: key)
                    }
                }
            }
        }
        for (rowKey, _) in rows {
            _ = try Self.withKey(app: rowKey.app, rowKey.digest) { key in try transaction.delete(key, in: recent) }
        }
        return rows.count < limit ? nil : rows.last?.rowKey
    }

    /// Returns the number of pages of `addresses` that change if the next rows of `recent` are moved: the rows of both
    /// are spread evenly.
    private func changedPages(byMoving rows: Int, in transaction: borrowing WriteTransaction) throws -> Int {
        let share = Double(rows) / Double(max(1, try recentCount(in: transaction)))
        return min(rows, Int(share * Double(try transaction.leafPages(in: database)))) + rows / Self.rowsPerPage + 1
    }

    /// The number of rows of a page that is half full: this number of new rows makes a new page.
    private static let rowsPerPage = 50

    /// Returns the number of addresses of an app that devices have.
    func countDevices(app: AppNumber, in transaction: borrowing some Transaction & ~Copyable) throws -> UInt64 {
        var count: UInt64 = 0
        let prefix = ByteWriter.bytes(capacity: AppNumber.byteCount) { $0.append(app) }
        for (database, _) in tables {
            try transaction.forEach(in: database, prefix: prefix.span) { _, value in
                if case .device = try Self.decode(value) { count += 1 }
                return .proceed
            }
        }
        return count
    }

    @inline(__always)
    private static func readKey(_ key: Span<UInt8>) throws -> (app: AppNumber, digest: AddressDigest) {
        try ByteReader.read(key, of: "addresses") { reader in
            (try reader.number(), AddressDigest(head: try reader.number(), tail: try reader.number()))
        }
    }

    @inline(__always)
    private static func append(_ app: AppNumber, _ digest: AddressDigest, to writer: inout ByteWriter) {
        writer.append(app)
        writer.append(digest.head)
        writer.append(digest.tail)
    }

    @inline(__always)
    private static func withKey<R>(
        app: AppNumber, _ digest: AddressDigest, _ body: (Span<UInt8>) throws -> R
    ) rethrows -> R {
        try ByteWriter.withBytes(capacity: keyBytes, { append(app, digest, to: &$0) }, body)
    }

    @inline(__always)
    private static func withValue<R>(_ record: AddressRecord, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        let word: UInt64 =
            switch record {
            case .device(let id): 1 << formShift | id.rawValue
            case .tombstone: 2 << formShift
            }
        return try ByteWriter.withBytes(capacity: valueBytes, { $0.append(word) }, body)
    }

    @inline(__always)
    private static func decode(_ value: Span<UInt8>) throws -> AddressRecord {
        try ByteReader.read(value, of: "addresses") { reader in
            let word: UInt64 = try reader.number()
            let id = word & (1 << formShift - 1)
            switch word >> formShift {
            case 1 where (1..<AppTable.deviceBound).contains(id): return .device(DeviceID(rawValue: id))
            case 2 where id == 0: return .tombstone
            default: throw reader.corrupted("an unknown form")
            }
        }
    }
}
