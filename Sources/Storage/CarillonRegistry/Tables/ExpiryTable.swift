import CarillonCore
import CarillonLMDB

/// The table of the times at which retention removes items.
///
/// `expiry`: kind `u8`, time `u64` from which the retention counts, then the key in the kind's own table → empty.
/// Rows are in the order of time, so that a sweep reads only the items that are due.
struct ExpiryTable {
    let database: Database

    private static let keyBytes = 9 + AppAddress.maximumBytes

    /// Adds an item whose retention counts from `time`.
    func insert(_ item: Expiring, from time: Timestamp, in transaction: inout WriteTransaction) throws {
        try withKey(item, from: time) { key in try transaction.put([UInt8]().span, for: key, in: database) }
    }

    func delete(_ item: Expiring, from time: Timestamp, in transaction: inout WriteTransaction) throws {
        _ = try withKey(item, from: time) { key in try transaction.delete(key, in: database) }
    }

    func contains(
        _ item: Expiring, from time: Timestamp, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> Bool {
        try withKey(item, from: time) { key in try transaction.contains(key, in: database) }
    }

    /// The items of a kind with a time before a bound.
    struct DueRange {
        let kind: ExpiringKind
        let bound: Timestamp
    }

    /// Returns the oldest items of a range, at most `limit` for which `predicate` is true.
    func first(
        _ limit: Int,
        of range: DueRange,
        in transaction: borrowing some Transaction & ~Copyable,
        where predicate: (Expiring) -> Bool,
        onUnreadable: RowFault?
    ) throws -> [(item: Expiring, time: Timestamp)] {
        guard limit > 0 else { return [] }
        var found: [(item: Expiring, time: Timestamp)] = []
        let from = [range.kind.rawValue]
        let upTo = ByteWriter.bytes(capacity: 1 + UInt64.byteCount) {
            $0.append(range.kind.rawValue)
            $0.append(range.bound)
        }
        try transaction.forEach(in: database, from: from.span, upTo: upTo.span) { key, _ in
            if let next = try readRow(key, onUnreadable: onUnreadable, { try Self.decode(key) }), predicate(next.item) {
                found.append(next)
            }
            return found.count < limit ? .proceed : .stop
        }
        return found
    }

    func forEach(
        in transaction: borrowing some Transaction & ~Copyable, _ body: (Expiring, Timestamp) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, _ in
            let (item, time) = try Self.decode(key)
            try body(item, time)
            return .proceed
        }
    }

    private func withKey<R>(_ item: Expiring, from time: Timestamp, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: Self.keyBytes,
            { writer in
                writer.append(item.kind.rawValue)
                writer.append(time)
                switch item {
                case .tombstone(let app, let address):
                    AppAddress.append(app, address, to: &writer)
                case .idempotencyKey(let app, let key):
                    writer.append(app)
                    writer.append(key)
                case .message(let id):
                    writer.append(id.rawValue)
                case .quarantined(let app, let id):
                    writer.append(app)
                    writer.append(id.rawValue)
                }
            },
            body
        )
    }

    private static func decode(_ key: Span<UInt8>) throws -> (item: Expiring, time: Timestamp) {
        try ByteReader.read(key, of: "expiry") { reader in
            let kind: ExpiringKind = try reader.value()
            let time = try reader.time()
            switch kind {
            case .tombstone:
                let (app, address) = try AppAddress.read(&reader)
                return (.tombstone(app, address), time)
            case .idempotencyKey:
                return (.idempotencyKey(try reader.number(), try reader.uuid()), time)
            case .message:
                return (.message(MessageID(rawValue: try reader.number())), time)
            case .quarantined:
                return (.quarantined(try reader.number(), DeviceID(rawValue: try reader.number())), time)
            }
        }
    }
}

/// An item that retention removes at its time.
enum Expiring: Hashable {
    case tombstone(AppNumber, DeviceAddress)
    case idempotencyKey(AppNumber, UUIDBytes)
    /// A finished message.
    case message(MessageID)
    case quarantined(AppNumber, DeviceID)

    /// The kind of the item, whose number is the first byte of its key.
    var kind: ExpiringKind {
        switch self {
        case .tombstone: .tombstone
        case .idempotencyKey: .idempotencyKey
        case .message: .message
        case .quarantined: .quarantined
        }
    }
}

/// The kinds of items; each has its own retention.
enum ExpiringKind: UInt8, CaseIterable {
    case tombstone = 1
    case idempotencyKey = 2
    case message = 3
    case quarantined = 4
}
