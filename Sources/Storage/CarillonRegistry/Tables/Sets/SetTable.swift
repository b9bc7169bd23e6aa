import CarillonCore
import CarillonLMDB

/// The number of a set of an app in keys and records; from 1, never given twice.
typealias SetNumber = UInt32

/// The table of the sets, by name.
///
/// `sets`: app `u32`, kind `u8`, name → version `u8`, number `u32`, devices `u64`, group subscriptions and quarantined
/// members `u32` each.
struct SetTable {
    let database: Database

    private static let version: UInt8 = 1
    private static let keyBytes = 4 + SetLabel.maximumBytes

    static func prefix(_ app: AppNumber, kind: SetKind, name: String = "") -> [UInt8] {
        ByteWriter.bytes(capacity: 5 + name.utf8.count) {
            $0.append(app)
            $0.append(kind.rawValue)
            $0.append(contentsOf: name.utf8)
        }
    }

    func get(
        _ label: SetLabel, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> SetRecord? {
        try withKey(app: app, label) { key in try transaction.get(key, in: database, Self.decode) }
    }

    func put(_ record: SetRecord, for label: SetLabel, app: AppNumber, in transaction: inout WriteTransaction) throws {
        try withKey(app: app, label) { key in
            try ByteWriter.withBytes(
                capacity: 1 + SetNumber.byteCount + UInt64.byteCount + 2 * UInt32.byteCount,
                {
                    $0.append(Self.version)
                    $0.append(record.number)
                    $0.append(record.devices)
                    $0.append(record.groupSubscriptions)
                    $0.append(record.quarantinedMembers)
                },
                { value in try transaction.put(value, for: key, in: database) }
            )
        }
    }

    func delete(_ label: SetLabel, app: AppNumber, in transaction: inout WriteTransaction) throws {
        _ = try withKey(app: app, label) { key in try transaction.delete(key, in: database) }
    }

    /// The names that begin with `prefix`, in the order of their bytes, after the name `after`; at most `limit`.
    struct NameRange {
        var prefix = ""
        var after = ""
        var limit = Int.max
    }

    func forEach(
        _ kind: SetKind,
        app: AppNumber,
        names range: NameRange = NameRange(),
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (SetLabel, SetRecord) throws -> Void
    ) throws {
        let prefixKey = Self.prefix(app, kind: kind, name: range.prefix)
        let afterKey = Self.prefix(app, kind: kind, name: range.after)
        let isInside = afterKey.starts(with: prefixKey)
        // If `after` is before all names with the prefix, none of them is left out. If it is behind them, all are.
        guard isInside || afterKey.lexicographicallyPrecedes(prefixKey) else { return }
        try transaction.forEach(
            in: database,
            prefix: prefixKey.span,
            after: isInside && !range.after.isEmpty ? afterKey.span : nil,
            limit: range.limit
        ) { key, value in
            try body(try Self.readKey(key).label, try Self.decode(value))
            return .proceed
        }
    }

    func forEach(
        in transaction: borrowing some Transaction & ~Copyable, _ body: (AppNumber, SetLabel, SetRecord) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
            let (app, label) = try Self.readKey(key)
            try body(app, label, try Self.decode(value))
            return .proceed
        }
    }

    private func withKey<R>(app: AppNumber, _ label: SetLabel, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: Self.keyBytes,
            {
                $0.append(app)
                label.append(to: &$0)
            },
            body
        )
    }

    private static func readKey(_ key: Span<UInt8>) throws -> (app: AppNumber, label: SetLabel) {
        try ByteReader.read(key, of: "sets") { (try $0.number(), try SetLabel(&$0)) }
    }

    private static func decode(_ value: Span<UInt8>) throws -> SetRecord {
        try ByteReader.read(value, of: "sets") { reader in
            try reader.version(version)
            let record = SetRecord(
                number: try reader.number(),
                devices: try reader.number(),
                groupSubscriptions: try reader.number(),
                quarantinedMembers: try reader.number()
            )
            // The bound keeps sums far from overflow.
            guard record.devices < AppTable.deviceBound else { throw reader.corrupted("an invalid number of devices") }
            return record
        }
    }
}

/// The record of a set: its number, and the counts that say whether a row still needs the set.
struct SetRecord: Hashable {
    var number: SetNumber
    /// The number of active devices in the set: the bits of its postings.
    var devices: UInt64 = 0
    /// The number of groups of a topic or of the muted; the number of topics of a group.
    var groupSubscriptions: UInt32 = 0
    /// The number of quarantined devices whose memberships name the set.
    var quarantinedMembers: UInt32 = 0

    /// True if no row needs the set.
    var isIdle: Bool { devices == 0 && groupSubscriptions == 0 && quarantinedMembers == 0 }
}

/// The lists of set numbers: ascending, each number once.
extension [SetNumber] {
    /// Returns the index of the first number that is not below `number`.
    private func lowerBound(of number: SetNumber) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func containsSorted(_ number: SetNumber) -> Bool {
        let index = lowerBound(of: number)
        return index < count && self[index] == number
    }

    /// Adds `number` to this ascending list; returns false if it was there.
    mutating func insertSorted(_ number: SetNumber) -> Bool {
        let index = lowerBound(of: number)
        guard index == count || self[index] != number else { return false }
        insert(number, at: index)
        return true
    }

    /// Removes `number` from this ascending list; returns false if it was not there.
    mutating func removeSorted(_ number: SetNumber) -> Bool {
        let index = lowerBound(of: number)
        guard index < count, self[index] == number else { return false }
        remove(at: index)
        return true
    }
}
