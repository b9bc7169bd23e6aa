import CarillonCore

/// The stored form of the settings, in `meta` and in the log:
///
/// - version `u8`
/// - the retention in milliseconds, `u64` each: of idempotency keys, tombstones, messages, quarantined devices, events
///   and subscribers
/// - the pushes of the silent-push budget `u64`
/// - the period of the silent-push budget in milliseconds `u64`
/// - the most events that are kept `u64`
/// - the most rows of a sweep `u64`
extension RegistrySettings {
    private static let version: UInt8 = 1
    /// The number of bytes that `append` writes.
    static let byteCount = 81

    func append(to writer: inout ByteWriter) {
        writer.append(Self.version)
        writer.append(retention.idempotencyMilliseconds)
        writer.append(retention.tombstoneMilliseconds)
        writer.append(retention.messageMilliseconds)
        writer.append(retention.quarantineMilliseconds)
        writer.append(retention.eventMilliseconds)
        writer.append(retention.subscriberMilliseconds)
        writer.append(UInt64(clamping: silentBudget.pushes))
        writer.append(silentBudget.milliseconds)
        writer.append(UInt64(clamping: maximumEvents))
        writer.append(UInt64(clamping: maximumSweptRows))
    }

    /// Reads what `append` wrote.
    init(_ reader: inout ByteReader) throws {
        self.init()
        try reader.version(Self.version)
        retention.idempotencyMilliseconds = try reader.number()
        retention.tombstoneMilliseconds = try reader.number()
        retention.messageMilliseconds = try reader.number()
        retention.quarantineMilliseconds = try reader.number()
        retention.eventMilliseconds = try reader.number()
        retention.subscriberMilliseconds = try reader.number()
        silentBudget.pushes = try Self.count(&reader)
        silentBudget.milliseconds = try reader.number()
        maximumEvents = try Self.count(&reader)
        maximumSweptRows = try Self.count(&reader)
    }

    private static func count(_ reader: inout ByteReader) throws -> Int {
        guard let count = Int(exactly: try reader.number(UInt64.self)) else {
            throw reader.corrupted("an invalid count")
        }
        return count
    }
}

extension RegistrySettings.Retention {
    /// Returns the time for which rows of a kind are kept.
    func milliseconds(of kind: ExpiringKind) -> UInt64 {
        switch kind {
        case .tombstone: tombstoneMilliseconds
        case .idempotencyKey: idempotencyMilliseconds
        case .message: messageMilliseconds
        case .quarantined: quarantineMilliseconds
        }
    }
}
