import CarillonCore
import CarillonLMDB

/// The table of the devices.
///
/// `devices`: app `u32`, device id `u64` → version, environment, kind, state, `u8` each; registered at, seen at, `u64`
/// each; token, locale, time zone, each after a `u8` length; `u8` n, then n attributes: key and value, each after a
/// `u8` length, ascending by key.
struct DeviceTable {
    let database: Database

    private var rows: DeviceRows { DeviceRows(of: database, named: "devices") }

    /// The pages of the records, which are not stored.
    private let prefetcher = RecordPrefetcher()
    /// The last changes of devices, which are not stored.
    private let lastChanges = LastDeviceChanges()

    private static let version: UInt8 = 1
    private static let headBytes = 20

    /// Returns the record of a device; nil if there is no such device. It does not say whether the device is muted:
    /// that is stored like a topic.
    func get(_ id: DeviceID, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable) throws
        -> DeviceRecord?
    {
        try DeviceKey.with(app: app, id) { key in
            try transaction.get(key, in: database) { value in
                recordPage(of: id, app: app, at: value)
                return try Self.decode(value, id: id)
            }
        }
    }

    /// Returns the record of a device if it has that address, nil otherwise; see `get(_:app:in:)`.
    func get(
        _ id: DeviceID,
        app: AppNumber,
        at address: DeviceAddress,
        in transaction: borrowing some Transaction & ~Copyable
    ) throws -> DeviceRecord? {
        try DeviceKey.with(app: app, id) { key in
            try transaction.get(key, in: database) { value in
                recordPage(of: id, app: app, at: value)
                return try Self.decode(value, id: id, at: address)
            }
        } ?? nil
    }

    /// Prefetches the record of a device that will be looked up soon.
    @inline(__always)
    func prefetch(_ id: DeviceID, app: AppNumber) {
        prefetcher.prefetch(id, app: app)
    }

    @inline(__always)
    private func recordPage(of id: DeviceID, app: AppNumber, at record: Span<UInt8>) {
        record.withUnsafeBytes { if let start = $0.baseAddress { prefetcher.record(id, app: app, at: start) } }
    }

    func state(
        _ id: DeviceID, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> DeviceState? {
        try visit(id, app: app, in: transaction) { head, _, _ in head.state }
    }

    /// Returns true if a device exists and has that address.
    func hasAddress(
        _ address: DeviceAddress,
        of id: DeviceID,
        app: AppNumber,
        in transaction: borrowing some Transaction & ~Copyable
    ) throws -> Bool {
        try visit(id, app: app, in: transaction) { head, token, _ in
            head.environment == address.environment && head.kind == address.kind
                && address.token.bytes.withUnsafeBytes { $0.isEqual(to: UnsafeRawBufferPointer(token)) }
        } ?? false
    }

    /// Calls `body` with the head, the raw token and the raw locale of a device; the bytes are valid only inside.
    @inline(__always)
    func visit<R>(
        _ id: DeviceID,
        app: AppNumber,
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (DeviceHead, _ token: UnsafeBufferPointer<UInt8>, _ locale: UnsafeBufferPointer<UInt8>) throws -> R
    ) throws -> R? {
        try DeviceKey.with(app: app, id) { key in
            try transaction.get(key, in: database) { value in
                try Self.visit(value, body)
            }
        }
    }

    /// Calls `body` with the head, the raw token and the raw locale of the registered devices among `bits` of a chunk,
    /// ascending by offset.
    @inline(__always)
    func visit(
        app: AppNumber,
        chunk: ChunkNumber,
        bits: ChunkBits,
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (UInt16, DeviceHead, _ token: UnsafeBufferPointer<UInt8>, _ locale: UnsafeBufferPointer<UInt8>) throws
            -> Void
    ) throws {
        try rows.forEach(app: app, chunk: chunk, bits: bits, in: transaction) { offset, value in
            try Self.visit(value) { try body(offset, $0, $1, $2) }
        }
    }

    /// Stores a device that was there before, or that may have been.
    func put(_ device: DeviceRecord, app: AppNumber, in transaction: inout WriteTransaction) throws {
        markChanged(device.id, app: app, in: transaction)
        try insert(device, app: app, in: &transaction)
    }

    /// Stores a device whose id is new: no snapshot shows it.
    func insert(_ device: DeviceRecord, app: AppNumber, in transaction: inout WriteTransaction) throws {
        let texts = (device.locale?.utf8.count ?? 0) + (device.timeZone?.utf8.count ?? 0)
        let attributes = device.attributes.entries.reduce(1) {
            $0 + 2 + $1.key.name.utf8.count + $1.value.text.utf8.count
        }
        let capacity = Self.headBytes + device.address.token.bytes.count + 3 + texts + attributes
        try DeviceKey.with(app: app, device.id) { key in
            try ByteWriter.withBytes(capacity: capacity, { Self.encode(device, into: &$0) }) { value in
                try transaction.put(value, for: key, in: database)
            }
        }
    }

    func delete(_ id: DeviceID, app: AppNumber, in transaction: inout WriteTransaction) throws {
        markChanged(id, app: app, in: transaction)
        _ = try DeviceKey.with(app: app, id) { key in try transaction.delete(key, in: database) }
    }

    /// Marks a device as changed. Call it when something changes that a lookup shows and the record of the device does
    /// not have.
    func markChanged(_ id: DeviceID, app: AppNumber, in transaction: borrowing WriteTransaction) {
        lastChanges.mark(id, app: app, in: transaction.number)
    }

    /// Returns false if a snapshot shows a device as it is, although the snapshot lacks other changes.
    @inline(__always)
    func mayHaveChanged(_ id: DeviceID, app: AppNumber, since snapshot: borrowing ReadTransaction) -> Bool {
        lastChanges.mayHaveChanged(id, app: app, since: snapshot.number)
    }

    /// Calls `body` with the devices of an app from `id` on, ascending.
    func forEach(
        app: AppNumber,
        from id: DeviceID,
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (DeviceRecord) throws -> IterationStep
    ) throws {
        try rows.forEach(app: app, from: id, in: transaction) { id, value in
            try body(try Self.decode(value, id: id))
        }
    }

    /// Returns at most `limit` devices from an id on, ascending; it does not say whether they are muted.
    func devices(
        app: AppNumber, from id: DeviceID, limit: Int, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> [DeviceRecord] {
        guard id.rawValue < AppTable.deviceBound else { return [] }
        var devices: [DeviceRecord] = []
        try forEach(app: app, from: id, in: transaction) { device in
            devices.append(device)
            return devices.count < limit ? .proceed : .stop
        }
        return devices
    }

    func forEach(
        in transaction: borrowing some Transaction & ~Copyable, _ body: (AppNumber, DeviceRecord) throws -> Void
    ) throws {
        try rows.forEach(in: transaction) { app, id, value in
            try body(app, try Self.decode(value, id: id))
        }
    }

    private static func encode(_ device: DeviceRecord, into writer: inout ByteWriter) {
        writer.append(version)
        writer.append(device.address.environment.rawValue)
        writer.append(device.address.kind.rawValue)
        writer.append(device.state.rawValue)
        writer.append(device.registeredAt)
        writer.append(device.seenAt)
        writer.append(UInt8(device.address.token.bytes.count))
        writer.append(contentsOf: device.address.token.bytes)
        writer.append(text: device.locale)
        writer.append(text: device.timeZone)
        writer.append(UInt8(device.attributes.entries.count))
        for attribute in device.attributes.entries {
            writer.append(text: attribute.key.name)
            writer.append(text: attribute.value.text)
        }
    }

    @inline(__always)
    private static func visit<R>(
        _ value: Span<UInt8>,
        _ body: (DeviceHead, _ token: UnsafeBufferPointer<UInt8>, _ locale: UnsafeBufferPointer<UInt8>) throws -> R
    ) throws -> R {
        try ByteReader.read(value, of: "devices") { reader in
            let head = try readHead(&reader)
            let token = try reader.take(Int(try reader.number(UInt8.self)))
            guard (1...DeviceToken.maximumBytes).contains(token.count) else {
                throw reader.corrupted("an invalid token")
            }
            let locale = try reader.take(Int(try reader.number(UInt8.self)))
            _ = try reader.take(reader.remaining)
            return try body(head, token, locale)
        }
    }

    private static func readHead(_ reader: inout ByteReader) throws -> DeviceHead {
        try reader.version(version)
        return DeviceHead(
            environment: try reader.value(),
            kind: try reader.value(),
            state: try reader.value(),
            registeredAt: try reader.time(),
            seenAt: try reader.time()
        )
    }

    private static func decode(_ value: Span<UInt8>, id: DeviceID) throws -> DeviceRecord {
        try ByteReader.read(value, of: "devices") { reader in
            let head = try readHead(&reader)
            let token = try reader.token()
            let address = DeviceAddress(environment: head.environment, kind: head.kind, token: token)
            return try device(id, at: address, head: head, from: &reader)
        }
    }

    /// Decodes a record; nil if the device has another address. The device shares the token of `address`.
    private static func decode(_ value: Span<UInt8>, id: DeviceID, at address: DeviceAddress) throws -> DeviceRecord? {
        try ByteReader.read(value, of: "devices") { reader in
            let head = try readHead(&reader)
            let token = try reader.take(Int(try reader.number(UInt8.self)))
            guard head.environment == address.environment, head.kind == address.kind,
                address.token.bytes.withUnsafeBytes({ $0.isEqual(to: UnsafeRawBufferPointer(token)) })
            else {
                _ = try reader.take(reader.remaining)
                return nil
            }
            return try device(id, at: address, head: head, from: &reader)
        }
    }

    /// Reads the rest of a device after its token.
    private static func device(
        _ id: DeviceID, at address: DeviceAddress, head: DeviceHead, from reader: inout ByteReader
    ) throws -> DeviceRecord {
        DeviceRecord(
            id: id,
            address: address,
            registeredAt: head.registeredAt,
            seenAt: head.seenAt,
            state: head.state,
            locale: try reader.text(),
            timeZone: try reader.text(),
            attributes: try readAttributes(&reader)
        )
    }

    private static func readAttributes(_ reader: inout ByteReader) throws -> Attributes {
        let count = try reader.number(UInt8.self)
        if count == 0 { return Attributes() }
        var changes: [AttributeChange] = []
        for _ in 0..<count {
            guard let key = try reader.text().flatMap({ AttributeKey($0) }),
                let value = try reader.text().flatMap({ AttributeValue($0) }),
                changes.last.map({ $0.key.name < key.name }) ?? true
            else { throw reader.corrupted("an invalid attribute") }
            changes.append(AttributeChange(key: key, value: value))
        }
        var attributes = Attributes()
        do { try attributes.merge(changes) } catch { throw reader.corrupted("invalid attributes") }
        return attributes
    }
}

/// The fields of a device that a delivery needs, without its texts.
struct DeviceHead {
    var environment: APNsEnvironment
    var kind: TokenKind
    var state: DeviceState
    var registeredAt: Timestamp
    var seenAt: Timestamp
}
