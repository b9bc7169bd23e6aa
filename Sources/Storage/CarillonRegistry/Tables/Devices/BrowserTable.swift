import CarillonCore
import CarillonLMDB

/// The table of the push subscriptions of browsers.
///
/// `browsers`: app `u32`, device id `u64` → the push subscription of the device, in its stored form, which begins with
/// a version. Only devices of kind `web` have a row, so the records of other devices do not grow.
struct BrowserTable {
    /// The database; nil if it was made before there was this table, and is only read.
    let database: Database?

    func get(
        _ id: DeviceID, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> WebPushSubscription? {
        try visit(id, app: app, in: transaction) { try Self.decode($0) }
    }

    /// Calls `body` with the stored bytes of a subscription, valid only inside; returns nil if the device has none.
    func visit<R>(
        _ id: DeviceID, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable,
        _ body: (Span<UInt8>) throws -> R
    ) throws -> R? {
        guard let database else { return nil }
        return try DeviceKey.with(app: app, id) { key in try transaction.get(key, in: database) { try body($0) } }
    }

    func put(
        _ subscription: WebPushSubscription, for id: DeviceID, app: AppNumber, in transaction: inout WriteTransaction
    ) throws {
        guard let database else { throw RegistryError.corrupted("browsers: no such table") }
        let bytes = subscription.bytes
        try DeviceKey.with(app: app, id) { key in try transaction.put(bytes.span, for: key, in: database) }
    }

    func delete(_ id: DeviceID, app: AppNumber, in transaction: inout WriteTransaction) throws {
        guard let database else { return }
        _ = try DeviceKey.with(app: app, id) { key in try transaction.delete(key, in: database) }
    }

    func forEach(
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (AppNumber, DeviceID, WebPushSubscription) throws -> Void
    ) throws {
        guard let database else { return }
        try DeviceRows(of: database, named: "browsers").forEach(in: transaction) { app, id, value in
            try body(app, id, try Self.decode(value))
        }
    }

    private static func decode(_ value: Span<UInt8>) throws -> WebPushSubscription {
        do throws(WebPushSubscriptionError) {
            return try WebPushSubscription(bytes: value.withUnsafeBufferPointer { Array($0) })
        } catch {
            throw RegistryError.corrupted("browsers: an invalid subscription")
        }
    }
}
