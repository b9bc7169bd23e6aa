import CarillonCore
import CarillonLMDB

/// The groups and topics of a device itself, by set numbers, ascending.
struct MembershipRecord: Hashable {
    var groups: [SetNumber] = []
    /// The topics that the device itself is subscribed to. The set of the muted is one of them while the device itself
    /// is muted.
    var topics: [SetNumber] = []

    var isEmpty: Bool { groups.isEmpty && topics.isEmpty }
}

/// The table of the groups and topics of devices.
///
/// `memberships`: app `u32`, device id `u64` → version `u8`; the groups, then the topics, each list as its length and
/// then the difference of each number to the one before, varints. A device without groups and topics has no row.
struct MembershipTable {
    let database: Database

    private var rows: DeviceRows { DeviceRows(of: database, named: "memberships") }

    private static let version: UInt8 = 1
    /// The most bytes of the version and of the lengths of both lists.
    private static let fieldBytes = 1 + 2 * ByteWriter.maximumVarintBytes
    /// The most bytes of the difference of two numbers of sets, which have 32 bits.
    private static let maximumNumberBytes = 5

    /// Returns the membership of a device, which is empty if there is no row.
    func get(
        _ id: DeviceID, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> MembershipRecord {
        try DeviceKey.with(app: app, id) { key in try transaction.get(key, in: database, Self.decode) }
            ?? MembershipRecord()
    }

    func put(
        _ record: MembershipRecord, for id: DeviceID, app: AppNumber, in transaction: inout WriteTransaction
    ) throws {
        guard !record.isEmpty else { return try delete(id, app: app, in: &transaction) }
        try DeviceKey.with(app: app, id) { key in
            try Self.withValue(record) { value in try transaction.put(value, for: key, in: database) }
        }
    }

    /// Adds to the membership of a device. Call it for many devices in the order of their ids.
    func extend(
        _ id: DeviceID, app: AppNumber, in cursor: inout WriteCursor, _ change: (inout MembershipRecord) -> Void
    ) throws {
        try DeviceKey.with(app: app, id) { key in
            var record = try cursor.get(key, Self.decode) ?? MembershipRecord()
            change(&record)
            try Self.withValue(record) { value in try cursor.put(value, for: key) }
        }
    }

    func delete(_ id: DeviceID, app: AppNumber, in transaction: inout WriteTransaction) throws {
        _ = try DeviceKey.with(app: app, id) { key in try transaction.delete(key, in: database) }
    }

    func forEach(
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (AppNumber, DeviceID, MembershipRecord) throws -> Void
    ) throws {
        try rows.forEach(in: transaction) { app, id, value in
            try body(app, id, try Self.decode(value))
        }
    }

    /// Calls `body` with the rows of those devices of a chunk that have one.
    func forEach(
        app: AppNumber,
        chunk: ChunkNumber,
        bits: ChunkBits,
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (UInt16, MembershipRecord) throws -> Void
    ) throws {
        try rows.forEach(app: app, chunk: chunk, bits: bits, in: transaction) { offset, value in
            try body(offset, try Self.decode(value))
        }
    }

    private static func withValue<R>(_ record: MembershipRecord, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: fieldBytes + maximumNumberBytes * (record.groups.count + record.topics.count),
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
                groups: try numbers(&reader, limit: MembershipLimits.groupsPerDevice),
                topics: try numbers(&reader, limit: MembershipLimits.topicsPerSubscriber + 1)
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
            guard !overflows else { throw reader.corrupted("an invalid number of a set") }
            numbers.append(number)
            previous = number
        }
        return numbers
    }
}
