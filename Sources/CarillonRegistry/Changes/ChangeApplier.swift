import CarillonCore
import CarillonLMDB

/// Applies changes inside the writer's transactions, one after the other.
///
/// It belongs to the writer thread. Counters (next device of an app, last message) live here between batches, are
/// written once a batch by `flush`, and are forgotten when a transaction is aborted.
///
/// A change checks everything before it writes anything: a refused one leaves no trace.
final class ChangeApplier {
    let layout: Layout
    let retention: LMDBRegistry.Retention
    private var apps: [AppID: CachedApp] = [:]
    private var lastMessage: UInt64?
    private var isLastMessageNew = false

    private struct CachedApp {
        var record: AppRecord
        var isChanged = false
    }

    init(layout: Layout, retention: LMDBRegistry.Retention) {
        self.layout = layout
        self.retention = retention
    }

    /// Applies one change.
    ///
    /// - Throws: `RegistryError.corrupted`, `LMDBError`; the transaction must then be aborted.
    func apply(_ change: Change, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        switch change {
        case .register(let registration, let now):
            try register(registration, now: now, in: &transaction)
        case .unregister(let reference, let app, let at, let now):
            try unregister(reference, app: app, at: Self.time(at, now: now), now: now, in: &transaction)
        case .accept(let message, let now):
            try accept(message, now: now, in: &transaction)
        case .record(let record, let now):
            try self.record(record, now: now, in: &transaction)
        }
    }

    /// Writes the counters; before every commit.
    func flush(_ transaction: inout WriteTransaction) throws {
        for (app, cached) in apps where cached.isChanged {
            try layout.apps.put(&transaction, app, cached.record)
        }
        if isLastMessageNew, let lastMessage { try layout.meta.putLastMessage(&transaction, lastMessage) }
    }

    /// The transaction was committed: the counters are what the disk says.
    func committed() {
        for app in apps.keys { apps[app]?.isChanged = false }
        isLastMessageNew = false
    }

    /// The transaction was aborted: the counters are read again.
    func aborted() {
        apps = [:]
        lastMessage = nil
        isLastMessageNew = false
    }

    /// A time that a caller gave; 0 and the future stand for now (Protocol 7).
    static func time(_ given: Timestamp, now: Timestamp) -> Timestamp {
        given == .zero ? now : min(given, now)
    }
}

// MARK: - Numbers

extension ChangeApplier {
    /// The number of an app, if it has one.
    func knownApp(_ app: AppID, _ transaction: borrowing WriteTransaction) throws -> AppNumber? {
        if let cached = apps[app] { return cached.record.number }
        guard let record = try layout.apps.get(transaction, app) else { return nil }
        apps[app] = CachedApp(record: record)
        return record.number
    }

    /// The number of an app; a new app gets the next one.
    func number(of app: AppID, in transaction: inout WriteTransaction) throws -> AppNumber {
        if let known = try knownApp(app, transaction) { return known }
        guard let number = AppNumber(exactly: try transaction.count(layout.apps.database) + 1) else {
            throw RegistryError.corrupted("apps: too many")
        }
        let record = AppRecord(number: number, nextDevice: 1)
        try layout.apps.put(&transaction, app, record)
        apps[app] = CachedApp(record: record)
        return number
    }

    /// A device id that was never used in the app, which has a number already.
    func newDevice(of app: AppID) throws -> DeviceID {
        guard var cached = apps[app], cached.record.nextDevice < AppTable.deviceBound else {
            throw RegistryError.corrupted("apps: no device id left")
        }
        let id = DeviceID(rawValue: cached.record.nextDevice)
        cached.record.nextDevice += 1
        cached.isChanged = true
        apps[app] = cached
        return id
    }

    /// A message id greater than all before.
    func newMessage(_ transaction: borrowing WriteTransaction) throws -> MessageID {
        let last = try lastMessage ?? layout.meta.lastMessage(transaction)
        let (next, overflows) = last.addingReportingOverflow(1)
        guard !overflows else { throw RegistryError.corrupted("meta: no message id left") }
        lastMessage = next
        isLastMessageNew = true
        return MessageID(rawValue: next)
    }
}

// MARK: - Addresses

extension ChangeApplier {
    /// The device that an address points at.
    func device(
        _ id: DeviceID,
        _ app: AppNumber,
        _ transaction: borrowing WriteTransaction
    ) throws -> Device {
        guard let device = try layout.devices.get(transaction, app, id) else {
            throw RegistryError.corrupted("addresses: a device that is not there")
        }
        return device
    }

    /// Leaves a tombstone at an address, in the place of `held`.
    func bury(
        _ address: DeviceAddress,
        _ app: AppNumber,
        held: AddressState?,
        at: Timestamp,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws {
        try forgetTombstone(held, at: address, app, in: &transaction)
        let tombstone = Tombstone(at: at, writtenAt: now)
        try layout.addresses.put(&transaction, app, address, .tombstone(tombstone))
        try layout.expiry.insert(&transaction, .tombstone(app, address), from: now)
    }

    /// Drops the expiry of the tombstone that `held` may be.
    func forgetTombstone(
        _ held: AddressState?,
        at address: DeviceAddress,
        _ app: AppNumber,
        in transaction: inout WriteTransaction
    ) throws {
        guard case .tombstone(let old) = held else { return }
        try layout.expiry.delete(&transaction, .tombstone(app, address), from: old.writtenAt)
    }
}
