import CarillonCore
import CarillonLMDB

/// What a device itself holds, by the numbers of the sets, ascending.
struct MembershipRecord: Hashable {
    /// The groups it is in.
    var groups: [SetNumber] = []
    /// The topics that it is subscribed to itself; the set of the muted is among them while the device itself is muted.
    var topics: [SetNumber] = []

    var isEmpty: Bool { groups.isEmpty && topics.isEmpty }
}

extension [SetNumber] {
    /// Where `number` stands, or would stand, in ascending order.
    private func place(of number: SetNumber) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Whether `number` is in this ascending list.
    func holds(_ number: SetNumber) -> Bool {
        let place = place(of: number)
        return place < count && self[place] == number
    }

    /// Adds `number` to this ascending list; false if it was there.
    mutating func add(_ number: SetNumber) -> Bool {
        let place = place(of: number)
        guard place == count || self[place] != number else { return false }
        insert(number, at: place)
        return true
    }

    /// Takes `number` out of this ascending list; false if it was not there.
    mutating func drop(_ number: SetNumber) -> Bool {
        let place = place(of: number)
        guard place < count, self[place] == number else { return false }
        remove(at: place)
        return true
    }
}

/// `memberships`: app `u32`, device id `u64` → version `u8`; the groups, then the topics, each list as its length and then
/// the difference of each number to the one before, varints. No row for a device that holds nothing.
struct MembershipTable {
    let database: Database

    private static let version: UInt8 = 1

    /// What a device holds.
    func get(
        _ transaction: borrowing some Transaction & ~Copyable,
        _ app: AppNumber,
        _ id: DeviceID
    ) throws -> MembershipRecord {
        try DeviceKey.with(app, id) { key in try transaction.get(database, key, Self.decode) } ?? MembershipRecord()
    }

    /// Stores what a device holds.
    func put(
        _ transaction: inout WriteTransaction,
        _ app: AppNumber,
        _ id: DeviceID,
        _ record: MembershipRecord
    ) throws {
        guard !record.isEmpty else { return try delete(&transaction, app, id) }
        try DeviceKey.with(app, id) { key in
            try Self.withValue(record) { value in try transaction.put(database, key, value) }
        }
    }

    /// Changes what a device holds, which is more afterwards; where many come in the order of their ids.
    func extend(
        _ cursor: inout WriteCursor,
        _ app: AppNumber,
        _ id: DeviceID,
        _ change: (inout MembershipRecord) -> Void
    ) throws {
        try DeviceKey.with(app, id) { key in
            var record = try cursor.get(key, Self.decode) ?? MembershipRecord()
            change(&record)
            try Self.withValue(record) { value in try cursor.put(key, value) }
        }
    }

    /// Removes the row of a device.
    func delete(_ transaction: inout WriteTransaction, _ app: AppNumber, _ id: DeviceID) throws {
        _ = try DeviceKey.with(app, id) { key in try transaction.delete(database, key) }
    }

    /// Calls `body` with every row of every app.
    func forEach(
        _ transaction: borrowing some Transaction & ~Copyable,
        _ body: (AppNumber, DeviceID, MembershipRecord) throws -> Void
    ) throws {
        try transaction.forEach(database, prefix: [UInt8]().span) { key, value in
            let (app, id) = try DeviceKey.read(key, of: "memberships")
            try body(app, id, try Self.decode(value))
            return .goOn
        }
    }

    /// Calls `body` with the rows of those devices of a chunk that have one.
    func forEach(
        _ transaction: borrowing some Transaction & ~Copyable,
        _ app: AppNumber,
        _ chunk: ChunkNumber,
        _ bits: ChunkBits,
        _ body: (UInt16, MembershipRecord) throws -> Void
    ) throws {
        try DeviceKey.forEach(transaction, database, app, chunk, bits) { offset, value in
            try body(offset, try Self.decode(value))
        }
    }

    private static func withValue<R>(_ record: MembershipRecord, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: 21 + 5 * (record.groups.count + record.topics.count),
            {
                $0.append(version)
                append(record.groups, to: &$0)
                append(record.topics, to: &$0)
            },
            body
        )
    }

    private static func append(_ numbers: [SetNumber], to writer: inout ByteWriter) {
        writer.append(varint: UInt64(numbers.count))
        var previous: SetNumber = 0
        for number in numbers {
            writer.append(varint: UInt64(number - previous))
            previous = number
        }
    }

    private static func decode(_ value: Span<UInt8>) throws -> MembershipRecord {
        try ByteReader.read(value, of: "memberships") { reader in
            try reader.version(version)
            return MembershipRecord(
                groups: try numbers(&reader, limit: MembershipLimits.groups),
                topics: try numbers(&reader, limit: MembershipLimits.topics + 1)
            )
        }
    }

    private static func numbers(_ reader: inout ByteReader, limit: Int) throws -> [SetNumber] {
        let count = try reader.varint()
        guard count <= limit else { throw reader.corrupted("too many sets") }
        var numbers: [SetNumber] = []
        numbers.reserveCapacity(Int(count))
        var previous: SetNumber = 0
        for _ in 0..<count {
            guard let step = SetNumber(exactly: try reader.varint()), step > 0 else {
                throw reader.corrupted("sets out of order")
            }
            let (number, overflows) = previous.addingReportingOverflow(step)
            guard !overflows else { throw reader.corrupted("the number of a set") }
            numbers.append(number)
            previous = number
        }
        return numbers
    }
}

/// What every table that is keyed by a device shares: app `u32`, device id `u64`.
enum DeviceKey {
    @inline(__always)
    static func with<R>(_ app: AppNumber, _ id: DeviceID, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: 12,
            {
                $0.append(app)
                $0.append(id.rawValue)
            },
            body
        )
    }

    /// Reads a key.
    @inline(__always)
    static func read(_ key: Span<UInt8>, of table: StaticString) throws -> (app: AppNumber, id: DeviceID) {
        try ByteReader.read(key, of: table) { (try $0.number(), DeviceID(rawValue: try $0.number())) }
    }

    /// From so many devices of a chunk on it is quicker to go through all of its rows than to look each of them up.
    private static let scanCount = 512

    /// Calls `body` with the rows of those devices of a chunk that have one, ascending.
    static func forEach(
        _ transaction: borrowing some Transaction & ~Copyable,
        _ database: Database,
        _ app: AppNumber,
        _ chunk: ChunkNumber,
        _ bits: ChunkBits,
        _ body: (UInt16, Span<UInt8>) throws -> Void
    ) throws {
        guard bits.count >= scanCount else {
            for offset in bits {
                try with(app, DeviceID(chunk: chunk, offset: offset)) { key in
                    _ = try transaction.get(database, key) { try body(offset, $0) }
                }
            }
            return
        }
        let last = DeviceID(chunk: chunk, offset: 0xFFF)
        try with(app, DeviceID(chunk: chunk, offset: 0)) { first in
            try with(app, DeviceID(rawValue: last.rawValue + 1)) { end in
                _ = try transaction.forEach(database, from: first, upTo: end) { key, value in
                    let offset = try read(key, of: "devices").id.offset
                    if bits.contains(offset) { try body(offset, value) }
                    return .goOn
                }
            }
        }
    }
}
