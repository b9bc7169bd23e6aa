import CarillonCore
import CarillonLMDB

/// Gives the next ids: of apps, of the devices and sets of an app, and of messages. No id is given twice.
///
/// The counters live in memory between commits, and are written by `flush`. It belongs to the writer thread.
final class IDAllocator {
    private let tables: Tables
    private var apps: [AppID: CachedApp] = [:]
    private var appsByNumber: [AppNumber: CachedApp] = [:]
    /// The app of the last call. Most changes are about the same app as the change before.
    private var lastApp: CachedApp?
    /// The number of chunks of the largest app that was used since the start. Only the limits of the queue use it, not
    /// the changes.
    private(set) var largestChunkCount = 0
    private var lastMessage: UInt64?
    private var isLastMessageChanged = false

    private final class CachedApp {
        let name: AppID
        var record: AppRecord
        var isChanged = false

        init(name: AppID, record: AppRecord) {
            self.name = name
            self.record = record
        }
    }

    init(tables: Tables) {
        self.tables = tables
    }

    // MARK: Apps

    /// Returns the number of an app; nil if the app has none.
    func knownNumber(of app: AppID, in transaction: borrowing WriteTransaction) throws -> AppNumber? {
        if let cached = findCached(app) { return cached.record.number }
        guard let record = try tables.apps.get(app, in: transaction) else { return nil }
        return insert(CachedApp(name: app, record: record))
    }

    /// Returns the number of an app; gives a new app the next number.
    func number(of app: AppID, in transaction: inout WriteTransaction) throws -> AppNumber {
        if let known = try knownNumber(of: app, in: transaction) { return known }
        guard let number = AppNumber(exactly: try transaction.count(in: tables.apps.database) + 1) else {
            throw RegistryError.corrupted("apps: too many")
        }
        let record = AppRecord(number: number, nextDevice: 1, nextSet: 1)
        try tables.apps.put(record, for: app, in: &transaction)
        return insert(CachedApp(name: app, record: record))
    }

    /// Returns the app of a number that a stored row names.
    func name(of number: AppNumber, in transaction: borrowing WriteTransaction) throws -> AppID {
        if let cached = appsByNumber[number] { return cached.name }
        var found: AppID?
        try tables.apps.forEach(in: transaction) { app, record in
            if record.number == number { found = app }
        }
        guard let found, try knownNumber(of: found, in: transaction) == number else {
            throw RegistryError.corrupted("apps: no row of app number \(number)")
        }
        return found
    }

    private func findCached(_ app: AppID) -> CachedApp? {
        if let lastApp, lastApp.name == app { return lastApp }
        guard let cached = apps[app] else { return nil }
        lastApp = cached
        return cached
    }

    private func insert(_ app: CachedApp) -> AppNumber {
        apps[app.name] = app
        appsByNumber[app.record.number] = app
        return app.record.number
    }

    // MARK: Devices and sets

    /// Gives a device id of an app that has a number.
    func newDevice(of app: AppID) throws -> DeviceID {
        guard let cached = findCached(app), cached.record.nextDevice < AppTable.deviceBound else {
            throw RegistryError.corrupted("apps: no device id left")
        }
        let id = DeviceID(rawValue: cached.record.nextDevice)
        cached.record.nextDevice += 1
        cached.isChanged = true
        return id
    }

    /// Marks all device ids before `next` as given, for an app that has a number.
    func reserveDevices(of app: AppID, before next: DeviceID) {
        guard let cached = apps[app], cached.record.nextDevice < next.rawValue else { return }
        cached.record.nextDevice = next.rawValue
        cached.isChanged = true
    }

    /// Returns the id that the next device of an app gets; 1 in an app that has no number yet.
    func nextDevice(of app: AppID) -> UInt64 { findCached(app)?.record.nextDevice ?? 1 }

    /// Returns the number of chunks up to the next device id of an app; 0 if the app has no number.
    func chunkCount(of app: AppID, in transaction: borrowing WriteTransaction) throws -> Int {
        guard try knownNumber(of: app, in: transaction) != nil else { return 0 }
        return Int(clamping: nextDevice(of: app)) / ChunkBits.width + 1
    }

    /// Gives a set number of an app that a row names.
    func newSet(of app: AppNumber, in transaction: borrowing WriteTransaction) throws -> SetNumber {
        if appsByNumber[app] == nil { _ = try name(of: app, in: transaction) }
        guard let cached = appsByNumber[app], cached.record.nextSet < .max else {
            throw RegistryError.corrupted("apps: no number for a set left")
        }
        let number = cached.record.nextSet
        cached.record.nextSet += 1
        cached.isChanged = true
        return number
    }

    // MARK: Messages

    /// Gives a message id, greater than all before.
    func newMessage(in transaction: borrowing WriteTransaction) throws -> MessageID {
        let last = try lastMessage ?? tables.meta.lastMessage(in: transaction)
        let (next, overflows) = last.addingReportingOverflow(1)
        guard !overflows else { throw RegistryError.corrupted("meta: no message id left") }
        lastMessage = next
        isLastMessageChanged = true
        return MessageID(rawValue: next)
    }

    // MARK: Transactions

    /// Writes the counters that have changed. Call it before every commit.
    func flush(in transaction: inout WriteTransaction) throws {
        for (app, cached) in apps where cached.isChanged {
            try tables.apps.put(cached.record, for: app, in: &transaction)
        }
        if isLastMessageChanged, let lastMessage { try tables.meta.putLastMessage(lastMessage, in: &transaction) }
    }

    /// Called when the transaction was committed: the counters equal the disk.
    func transactionCommitted() {
        for app in apps.values {
            app.isChanged = false
            largestChunkCount = max(largestChunkCount, Int(clamping: app.record.nextDevice) / ChunkBits.width + 1)
        }
        isLastMessageChanged = false
    }

    /// Evicts the counters, because the transaction was aborted: they are read again.
    func transactionAborted() {
        apps = [:]
        appsByNumber = [:]
        lastApp = nil
        lastMessage = nil
        isLastMessageChanged = false
    }
}
