import CarillonCore
import CarillonLMDB

/// The table of the events that subscribers can still read.
///
/// `events`: sequence `u64` → version `u8`, at `u64`, kind `u16`, `u8` that says which of the following are there, bit
/// by bit from the lowest: app after a `u8` length, message `u64`, device `u64`, outcome `u8`, count `u64`, text after
/// a `u8` length. The numbers of the rows have no gap, because only the oldest rows are removed.
struct EventTable {
    let database: Database

    private static let version: UInt8 = 1
    static let maximumTextBytes = 255
    /// The bytes of an event with all its fields, beside the texts.
    private static let fieldBytes = 39

    /// The optional fields of an event that are stored.
    private struct StoredFields: OptionSet {
        let rawValue: UInt8
        static let app = StoredFields(rawValue: 1)
        static let message = StoredFields(rawValue: 2)
        static let device = StoredFields(rawValue: 4)
        static let outcome = StoredFields(rawValue: 8)
        static let count = StoredFields(rawValue: 16)
        static let text = StoredFields(rawValue: 32)
    }

    /// Stores an event under its number, which is above all others; its text is at most `maximumTextBytes` bytes.
    func append(_ event: Event, in transaction: inout WriteTransaction) throws {
        try withKey(event.sequence) { key in
            try ByteWriter.withBytes(
                capacity: Self.fieldBytes + AppID.maximumBytes + (event.text?.utf8.count ?? 0),
                { Self.encode(event, into: &$0) },
                { value in
                    do throws(LMDBError) {
                        try transaction.put(value, for: key, in: database, mode: .append)
                    } catch  where error.code == .keyExists {
                        throw RegistryError.corrupted("events: one above the last number")
                    }
                }
            )
        }
    }

    /// Returns the number and the time of the oldest event; nil if no event is kept.
    func oldest(in transaction: borrowing some Transaction & ~Copyable) throws -> (sequence: UInt64, at: Timestamp)? {
        var found: (UInt64, Timestamp)?
        _ = try forEach(after: 0, limit: 1, in: transaction) { event in
            found = (event.sequence, event.at)
            return .stop
        }
        return found
    }

    /// Returns the number of the oldest event, readable or not; empty if no event is kept.
    func oldestNumber(in transaction: borrowing some Transaction & ~Copyable) throws -> [UInt64] {
        var found: [UInt64] = []
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, _ in
            let sequence: UInt64 = try ByteReader.read(key, of: "events") { try $0.number() }
            found.append(sequence)
            return .stop
        }
        return found
    }

    /// Returns the number of the oldest readable event, if it is from before `bound`, after the numbers of the
    /// unreadable events that are older; empty if that event is younger, or if no event is readable.
    func oldest(before bound: Timestamp, in transaction: borrowing some Transaction & ~Copyable) throws -> [UInt64] {
        var (found, isOld): ([UInt64], Bool) = ([], false)
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
            let sequence: UInt64 = try ByteReader.read(key, of: "events") { try $0.number() }
            found.append(sequence)
            do {
                isOld = try Self.decode(value, sequence: sequence).at < bound
                return .stop
            } catch RegistryError.corrupted {
                return .proceed
            }
        }
        return isOld ? found : []
    }

    func delete(_ sequence: UInt64, in transaction: inout WriteTransaction) throws {
        _ = try withKey(sequence) { key in try transaction.delete(key, in: database) }
    }

    /// Calls `body` with at most `limit` events after a number, in order; returns their number.
    func forEach(
        after sequence: UInt64,
        limit: Int = .max,
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (Event) throws -> IterationStep
    ) throws -> Int {
        guard sequence < .max else { return 0 }
        return try withKey(sequence + 1) { from in
            try transaction.forEach(in: database, from: from, limit: limit) { key, value in
                let sequence: UInt64 = try ByteReader.read(key, of: "events") { try $0.number() }
                return try body(try Self.decode(value, sequence: sequence))
            }
        }
    }

    private func withKey<R>(_ sequence: UInt64, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(capacity: UInt64.byteCount, { $0.append(sequence) }, body)
    }

    private static func encode(_ event: Event, into writer: inout ByteWriter) {
        writer.append(version)
        writer.append(event.at)
        writer.append(event.kind.rawValue)
        var fields: StoredFields = []
        if event.app != nil { fields.insert(.app) }
        if event.message != nil { fields.insert(.message) }
        if event.device != nil { fields.insert(.device) }
        if event.outcome != nil { fields.insert(.outcome) }
        if event.count != nil { fields.insert(.count) }
        if event.text != nil { fields.insert(.text) }
        writer.append(fields.rawValue)
        if let app = event.app { writer.append(text: app.name) }
        if let message = event.message { writer.append(message.rawValue) }
        if let device = event.device { writer.append(device.rawValue) }
        if let outcome = event.outcome { writer.append(outcome.rawValue) }
        if let count = event.count { writer.append(count) }
        if let text = event.text { writer.append(text: text) }
    }

    private static func decode(_ value: Span<UInt8>, sequence: UInt64) throws -> Event {
        try ByteReader.read(value, of: "events") { reader in
            try reader.version(version)
            var event = Event(
                sequence: sequence, at: try reader.time(), kind: Event.Kind(rawValue: try reader.number()))
            let fields = StoredFields(rawValue: try reader.number())
            if fields.contains(.app) {
                guard let app = try reader.text().flatMap({ AppID($0) }) else {
                    throw reader.corrupted("an invalid app")
                }
                event.app = app
            }
            if fields.contains(.message) { event.message = MessageID(rawValue: try reader.number()) }
            if fields.contains(.device) { event.device = DeviceID(rawValue: try reader.number()) }
            if fields.contains(.outcome) { event.outcome = Outcome(rawValue: try reader.number()) }
            if fields.contains(.count) { event.count = try reader.number() }
            if fields.contains(.text) { event.text = try reader.text() ?? "" }
            return event
        }
    }
}
