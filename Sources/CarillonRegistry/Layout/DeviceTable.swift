import CarillonCore
import CarillonLMDB

/// What a delivery asks of a device, without its texts.
struct DeviceHead {
    var environment: CarillonCore.Environment
    var kind: TokenKind
    var state: DeviceState
    var registeredAt: Timestamp
    var seenAt: Timestamp
}

/// `devices`: app `u32`, device id `u64` → version, environment, kind, state, `u8` each; registered at, seen at, `u64`
/// each; token, locale, time zone, each after a `u8` length.
struct DeviceTable {
    let database: Database

    private static let version: UInt8 = 1
    private static let headBytes = 20

    /// A device with all that is stored of it.
    func get(_ transaction: borrowing some Transaction & ~Copyable, _ app: AppNumber, _ id: DeviceID) throws -> Device?
    {
        try withKey(app, id) { key in
            try transaction.get(database, key) { try Self.decode($0, id: id) }
        }
    }

    /// Calls `body` with the head and the raw token of a device; the token is valid only inside.
    @inline(__always)
    func visit<R>(
        _ transaction: borrowing some Transaction & ~Copyable,
        _ app: AppNumber,
        _ id: DeviceID,
        _ body: (DeviceHead, UnsafeBufferPointer<UInt8>) throws -> R
    ) throws -> R? {
        try withKey(app, id) { key in
            try transaction.get(database, key) { value in
                try ByteReader.read(value, of: "devices") { reader in
                    let head = try Self.head(&reader)
                    let token = try reader.take(Int(try reader.number(UInt8.self)))
                    guard (1...DeviceToken.byteLimit).contains(token.count) else { throw reader.corrupted("a token") }
                    _ = try reader.take(reader.remaining)
                    return try body(head, token)
                }
            }
        }
    }

    /// Stores a device.
    func put(_ transaction: inout WriteTransaction, _ app: AppNumber, _ device: Device) throws {
        let texts = (device.locale?.utf8.count ?? 0) + (device.timeZone?.utf8.count ?? 0)
        let capacity = Self.headBytes + device.address.token.bytes.count + 3 + texts
        try withKey(app, device.id) { key in
            try ByteWriter.withBytes(capacity: capacity, { Self.encode(device, into: &$0) }) { value in
                try transaction.put(database, key, value)
            }
        }
    }

    /// Removes a device.
    func delete(_ transaction: inout WriteTransaction, _ app: AppNumber, _ id: DeviceID) throws {
        _ = try withKey(app, id) { key in try transaction.delete(database, key) }
    }

    /// Calls `body` with every device of every app.
    func forEach(
        _ transaction: borrowing some Transaction & ~Copyable,
        _ body: (AppNumber, Device) throws -> Void
    ) throws {
        try transaction.forEach(database, prefix: [UInt8]().span) { key, value in
            let (app, id) = try ByteReader.read(key, of: "devices") {
                (try $0.number(AppNumber.self), DeviceID(rawValue: try $0.number()))
            }
            try body(app, try Self.decode(value, id: id))
            return .goOn
        }
    }

    @inline(__always)
    private func withKey<R>(_ app: AppNumber, _ id: DeviceID, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: 12,
            {
                $0.append(app)
                $0.append(id.rawValue)
            },
            body
        )
    }

    private static func encode(_ device: Device, into writer: inout ByteWriter) {
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
    }

    private static func head(_ reader: inout ByteReader) throws -> DeviceHead {
        try reader.version(version)
        return DeviceHead(
            environment: try reader.value(),
            kind: try reader.value(),
            state: try reader.value(),
            registeredAt: try reader.time(),
            seenAt: try reader.time()
        )
    }

    private static func decode(_ value: Span<UInt8>, id: DeviceID) throws -> Device {
        try ByteReader.read(value, of: "devices") { reader in
            let head = try head(&reader)
            let token = try reader.token()
            return Device(
                id: id,
                address: DeviceAddress(environment: head.environment, kind: head.kind, token: token),
                registeredAt: head.registeredAt,
                seenAt: head.seenAt,
                state: head.state,
                locale: try reader.text(),
                timeZone: try reader.text()
            )
        }
    }
}
