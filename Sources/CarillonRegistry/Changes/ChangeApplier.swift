import CarillonCore
import CarillonLMDB

/// Applies changes inside the writer's transactions, one after the other.
///
/// It belongs to the writer thread. Counters (next device of an app, last message) and sets live here between batches, are
/// written once a batch by `flush`, and are forgotten when a transaction is aborted.
///
/// A change checks everything before it writes anything: a refused one leaves no trace.
final class ChangeApplier {
    let layout: Layout
    let retention: LMDBRegistry.Retention
    let silentBudget: LMDBRegistry.SilentBudget
    let wallClock: @Sendable () -> Timestamp
    let sets: SetCache
    let events: EventLog
    /// Rows that are still to be written.
    var deferred = IngestBuffer()
    /// Which addresses are certainly new.
    var filter = TokenBloomFilter()
    /// Who holds which address; in floods.
    var book: TokenIndexCache?
    private let bookSets: Int
    /// The device that the last sweep looked at last for silent pushes; nil if it has seen all.
    var silentSweep: (app: AppNumber, id: DeviceID)?
    /// What could not be read since the start: it is passed over by what goes through many things.
    private var passedOver: Set<PassedOver> = []
    private let onUnreadable: @Sendable (String) -> Void
    /// Whether the last sweep has failed at something that the next one goes past.
    var hasFoundObstacle = false
    private var apps: [AppID: CachedApp] = [:]
    private var appsByNumber: [AppNumber: CachedApp] = [:]
    /// The app asked for last: most changes are of the app of the one before.
    private var lastApp: CachedApp?
    /// Chunks of the largest app that was used since the start.
    private(set) var chunks = 0
    private var lastMessage: UInt64?
    private var isLastMessageNew = false

    private final class CachedApp {
        let name: AppID
        var record: AppRecord
        var isChanged = false

        init(name: AppID, record: AppRecord) {
            self.name = name
            self.record = record
        }
    }

    init(layout: Layout, options: LMDBRegistry.Options, wallClock: @escaping @Sendable () -> Timestamp) {
        self.layout = layout
        self.retention = options.retention
        self.silentBudget = options.silentBudget
        bookSets = options.journal.bookSets
        self.wallClock = wallClock
        onUnreadable = options.onUnreadable
        sets = SetCache(layout: layout)
        events = EventLog(layout: layout, limit: options.eventLimit)
    }

    /// Applies one change.
    ///
    /// - Throws: `RegistryError.corrupted`, `LMDBError`; the transaction must then be aborted.
    func apply(_ change: Change, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        try sets.relieve(&transaction)
        switch change {
        // What floods are made of: they look into the tables only if they must.
        case .register, .subscribe: if deferred.isFull { try settle(in: &transaction) }
        default: try settle(in: &transaction)
        }
        return switch change {
        case .register(let registration, let now):
            try register(registration, now: now, in: &transaction)
        case .unregister(let reference, let app, let at, let now):
            try unregister(reference, app: app, at: Self.time(at, now: now), now: now, in: &transaction)
        case .update(let reference, let app, let update):
            try self.update(reference, app: app, update, in: &transaction)
        case .join(let join, let now):
            try self.join(join, now: now, in: &transaction)
        case .leave(let leave):
            try self.leave(leave, in: &transaction)
        case .subscribe(let subscription):
            try subscribe(subscription, in: &transaction)
        case .unsubscribe(let subscription):
            try unsubscribe(subscription, in: &transaction)
        case .mute(let group, let app, let isMuted):
            try mute(group, app: app, isMuted, in: &transaction)
        case .accept(let message, let now):
            try accept(message, now: now, in: &transaction)
        case .record(let record, let now):
            try self.record(record, now: now, in: &transaction)
        case .finish(let message, let now):
            try finish(message, now: now, in: &transaction)
        case .updateMessage(let message, let app, let messageUpdate, let now):
            try updateMessage(message, app: app, messageUpdate, now: now, in: &transaction)
        case .resend(let message, let app, let key, let outcomes, let notAfter, let now):
            try resend(
                message, app: app, key: key, outcomes: outcomes, notAfter: notAfter, now: now, in: &transaction)
        case .release(let now):
            try release(now: now, in: &transaction)
        case .count(let receipts, let app, _):
            try count(receipts, app: app, in: &transaction)
        case .restore(let reference, let app, _):
            try restore(reference, app: app, in: &transaction)
        case .note(let event):
            try note(event, in: &transaction)
        case .acknowledge(let subscriber, let sequence):
            try acknowledge(subscriber, upTo: sequence, in: &transaction)
        }
    }

    /// Writes the rows that were left for later; before anybody looks for one.
    func settle(in transaction: inout WriteTransaction) throws {
        guard !deferred.isEmpty else { return }
        try deferred.write(to: layout, in: &transaction)
    }

    /// A flood has begun, or goes on: learns some more of the addresses that there are.
    func learn(in transaction: inout WriteTransaction) throws {
        if filter.hasNotBegun { try settle(in: &transaction) }
        if book == nil { book = TokenIndexCache(sets: bookSets) }
        try filter.extend(layout.addresses, transaction) { row in
            guard let book, book.room > 0, case .device(let device) = row.entry else { return }
            book.note(device, at: row.place.address, row.place.app)
        }
    }

    /// There has been no flood for long: gives back the memory that it took.
    func rest() {
        book = nil
        // What was given up is not tried again.
        if !filter.isGivenUp { filter = TokenBloomFilter() }
        if deferred.isEmpty { deferred = IngestBuffer() }
    }

    /// Something has happened outside of the registry.
    private func note(_ event: Event, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        try events.append(event, in: &transaction)
        return .noted
    }

    /// Whether so much is in memory that it is to be written, and let go of, by a commit soon.
    var isFull: Bool { sets.isFull }

    /// Writes the rows that wait, the counters and the sets; before every commit.
    func flush(_ transaction: inout WriteTransaction) throws {
        try settle(in: &transaction)
        try sets.flush(&transaction)
        try events.flush(&transaction)
        for (app, cached) in apps where cached.isChanged {
            try layout.apps.put(&transaction, app, cached.record)
        }
        if isLastMessageNew, let lastMessage { try layout.meta.putLastMessage(&transaction, lastMessage) }
    }

    /// The transaction was committed: what is in memory is what the disk says. Returns the newest event if there are new ones.
    func committed() -> UInt64? {
        for app in apps.values {
            app.isChanged = false
            chunks = max(chunks, Int(clamping: app.record.nextDevice) / ChunkBits.width + 1)
        }
        isLastMessageNew = false
        sets.committed()
        return events.committed()
    }

    /// The transaction was aborted: everything is read again.
    func aborted() {
        apps = [:]
        appsByNumber = [:]
        lastApp = nil
        deferred.forget()
        book = nil
        sets.forget()
        events.aborted()
        lastMessage = nil
        isLastMessageNew = false
    }

    /// A time that a caller gave; 0 and the future stand for now (Protocol 7).
    static func time(_ given: Timestamp, now: Timestamp) -> Timestamp {
        given == .zero ? now : min(given, now)
    }

    /// What a stored time counts as: the clock may have been ahead when it was stored, and that must not decide until the
    /// time has come.
    static func stored(_ time: Timestamp, now: Timestamp) -> Timestamp { min(time, now) }

    /// Whether a registration of that time is older than what ended the one before. On equal times the end wins, but what
    /// comes now is later than an end that is still to come.
    static func beats(_ tombstone: Tombstone, _ seenAt: Timestamp, now: Timestamp) -> Bool {
        tombstone.at > now ? now > seenAt : tombstone.at >= seenAt
    }
}

// MARK: - What cannot be read

/// Something that releases and sweeps go past once it was found unreadable.
enum PassedOver: Hashable, CustomStringConvertible {
    /// A scheduled message.
    case scheduled(MessageID)
    /// A thing whose retention is over.
    case expiring(Expiring)
    /// A row of a table.
    case row(table: String, key: [UInt8])
    /// A whole step of a sweep.
    case step(String)

    var description: String {
        switch self {
        case .scheduled(let message): "scheduled message \(message)"
        case .expiring(.message(let message)): "retention of message \(message)"
        case .expiring(.quarantined(let app, let device)): "retention of device \(device) of app number \(app)"
        case .expiring(.tombstone): "retention of a tombstone"
        case .expiring(.idempotencyKey): "retention of an idempotency key"
        case .row(let table, _): "a row of \(table)"
        case .step(let step): "retention of \(step)"
        }
    }
}

extension ChangeApplier {
    /// Things remembered at most: about 1 MB.
    private static let passedOverLimit = 10_000

    /// Remembers, whatever becomes of the transaction, that something cannot be read, and tells of it once; false if it was
    /// known, or too many are.
    @discardableResult
    func passOver(_ thing: PassedOver, _ reason: String) -> Bool {
        guard passedOver.count < Self.passedOverLimit, passedOver.insert(thing).inserted else { return false }
        onUnreadable("\(thing): \(reason)")
        return true
    }

    /// Remembers rows of a table.
    func passOverRow(of table: String) -> RowFault {
        { self.passOver(.row(table: table, key: $0), $1) }
    }

    /// Whether something was found unreadable.
    func isPassedOver(_ thing: PassedOver) -> Bool { !passedOver.isEmpty && passedOver.contains(thing) }
}

// MARK: - Numbers

extension ChangeApplier {
    /// The number of an app, if it has one.
    func knownApp(_ app: AppID, _ transaction: borrowing WriteTransaction) throws -> AppNumber? {
        if let cached = cached(app) { return cached.record.number }
        guard let record = try layout.apps.get(transaction, app) else { return nil }
        return keep(CachedApp(name: app, record: record), app)
    }

    private func cached(_ app: AppID) -> CachedApp? {
        if let lastApp, lastApp.name == app { return lastApp }
        guard let cached = apps[app] else { return nil }
        lastApp = cached
        return cached
    }

    private func keep(_ cached: CachedApp, _ app: AppID) -> AppNumber {
        apps[app] = cached
        appsByNumber[cached.record.number] = cached
        return cached.record.number
    }

    /// The number of an app; a new app gets the next one.
    func number(of app: AppID, in transaction: inout WriteTransaction) throws -> AppNumber {
        if let known = try knownApp(app, transaction) { return known }
        guard let number = AppNumber(exactly: try transaction.count(layout.apps.database) + 1) else {
            throw RegistryError.corrupted("apps: too many")
        }
        let record = AppRecord(number: number, nextDevice: 1, nextSet: 1)
        try layout.apps.put(&transaction, app, record)
        return keep(CachedApp(name: app, record: record), app)
    }

    /// The app of a number that something stored names.
    func name(of number: AppNumber, _ transaction: borrowing WriteTransaction) throws -> AppID {
        if let cached = appsByNumber[number] { return cached.name }
        var found: AppID?
        try layout.apps.forEach(transaction) { app, record in
            if record.number == number { found = app }
        }
        guard let found, try knownApp(found, transaction) == number else {
            throw RegistryError.corrupted("apps: an app that is not there")
        }
        return found
    }

    /// A device id that was never used in the app, which has a number already.
    func newDevice(of app: AppID) throws -> DeviceID {
        guard let cached = cached(app), cached.record.nextDevice < AppTable.deviceBound else {
            throw RegistryError.corrupted("apps: no device id left")
        }
        let id = DeviceID(rawValue: cached.record.nextDevice)
        cached.record.nextDevice += 1
        cached.isChanged = true
        return id
    }

    /// Gives every id before `next` of an app that has a number already.
    func reserveDevices(of app: AppID, before next: DeviceID) {
        guard let cached = apps[app], cached.record.nextDevice < next.rawValue else { return }
        cached.record.nextDevice = next.rawValue
        cached.isChanged = true
    }

    /// The id that the next device of an app gets; 1 in an app that has no number yet.
    func nextDevice(of app: AppID) -> UInt64 { cached(app)?.record.nextDevice ?? 1 }

    /// The number of a set that was never used in the app, whose name was looked up in this transaction or an earlier one.
    func newSet(of app: AppNumber) throws -> SetNumber {
        guard let cached = appsByNumber[app], cached.record.nextSet < .max else {
            throw RegistryError.corrupted("apps: no number for a set left")
        }
        let number = cached.record.nextSet
        cached.record.nextSet += 1
        cached.isChanged = true
        return number
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
    /// Stores who has an address.
    func put(
        _ entry: AddressEntry,
        at address: AddressDigest,
        _ app: AppNumber,
        in transaction: inout WriteTransaction
    ) throws {
        filter.note(address)
        switch entry {
        case .device(let id): book?.note(id, at: address, app)
        case .tombstone: book?.forget(address, app)
        }
        try layout.addresses.put(&transaction, app, address, entry)
    }

    /// Forgets who has an address.
    func delete(_ address: AddressDigest, _ app: AppNumber, in transaction: inout WriteTransaction) throws {
        book?.forget(address, app)
        try layout.addresses.delete(&transaction, app, address)
    }

    /// Whether an address may be among the rows that are still to be written.
    func mayWait(_ address: AddressDigest, _ app: AppNumber, _ transaction: borrowing WriteTransaction) throws -> Bool {
        guard deferred.hasAddresses, !filter.lacks(address) else { return false }
        // Those that have a row do not wait, nor do most others: a look through all that do is seldom.
        return try layout.addresses.get(transaction, app, address) == nil && deferred.holds(address, app)
    }

    /// The device that a caller names; nil if it is not registered.
    func device(
        _ reference: DeviceReference,
        _ app: AppNumber,
        _ transaction: borrowing WriteTransaction
    ) throws -> Device? {
        switch reference {
        case .id(let id):
            return try layout.devices.get(transaction, app, id)
        case .address(let address):
            return try device(at: address, app, transaction)
        }
    }

    /// The id of the device that a caller names, and whether it can be sent to; nil if it is not registered.
    func state(
        of reference: DeviceReference,
        _ app: AppNumber,
        _ transaction: borrowing WriteTransaction
    ) throws -> (id: DeviceID, state: DeviceState)? {
        switch reference {
        case .id(let id):
            return try state(of: id, app, transaction).map { (id, $0) }
        case .address(let address):
            guard let id = try id(at: address, app, transaction) else { return nil }
            guard let state = try state(of: id, app, transaction) else {
                throw RegistryError.corrupted("addresses: a device that is not there")
            }
            return (id, state)
        }
    }

    /// Whether a device can be sent to; nil if there is no such device.
    private func state(
        of id: DeviceID,
        _ app: AppNumber,
        _ transaction: borrowing WriteTransaction
    ) throws -> DeviceState? {
        // The active ones are in the set of all, which is in memory: a look at its record would read a page for each.
        if id.rawValue < AppTable.deviceBound, let all = try sets.all(of: app, transaction),
            try sets.contains(id, in: all, transaction)
        {
            return .active
        }
        return try layout.devices.state(transaction, app, id)
    }

    /// The device that holds an address; nil if none does, or its row is still to be written and the book has lost it.
    func device(
        at address: DeviceAddress,
        _ app: AppNumber,
        _ transaction: borrowing WriteTransaction
    ) throws -> Device? {
        guard let book else { return try layout.device(at: address, app, transaction) }
        let digest = layout.digest(of: address, app)
        if let known = try knownDevice(at: address, digest, app, transaction) { return known }
        let device = try layout.device(at: address, app, hint: layout.hints.device(at: digest), transaction)
        if let device { book.note(device.id, at: digest, app) }
        return device
    }

    /// The id of the device that holds an address; see ``device(at:_:_:)``.
    private func id(
        at address: DeviceAddress,
        _ app: AppNumber,
        _ transaction: borrowing WriteTransaction
    ) throws -> DeviceID? {
        let digest = layout.digest(of: address, app)
        guard let book else { return try layout.id(at: address, digest, app, transaction) }
        if let id = book.device(at: digest, app) {
            assert(holds(digest, app, id, transaction), "the book says what the table says")
            return id
        }
        let id = try layout.id(at: address, digest, app, transaction)
        if let id { book.note(id, at: digest, app) }
        return id
    }

    /// The device that holds an address, if that can be told without a look at `addresses`.
    func knownDevice(
        at address: DeviceAddress,
        _ digest: AddressDigest,
        _ app: AppNumber,
        _ transaction: borrowing WriteTransaction
    ) throws -> Device? {
        guard let book else { return try layout.hintedDevice(at: address, digest, app, transaction) }
        guard let id = book.device(at: digest, app) else { return nil }
        assert(holds(digest, app, id, transaction), "the book says what the table says")
        return try layout.device(id, app, at: address, transaction)
    }

    /// Whether the table says that a device holds an address, or may say so when what waits is written; for debug builds.
    private func holds(
        _ address: AddressDigest, _ app: AppNumber, _ id: DeviceID, _ transaction: borrowing WriteTransaction
    ) -> Bool {
        guard let row = try? layout.addresses.get(transaction, app, address) else { return deferred.hasAddresses }
        return row == .device(id)
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
        try put(.tombstone, at: layout.digest(of: address, app), app, in: &transaction)
        try layout.tombstones.put(&transaction, app, address, Tombstone(at: at, writtenAt: now))
        try layout.expiry.insert(&transaction, .tombstone(app, address), from: now)
    }

    /// Drops the tombstone that `held` may be, and its expiry; its row in `addresses` is overwritten by the caller.
    func forgetTombstone(
        _ held: AddressState?,
        at address: DeviceAddress,
        _ app: AppNumber,
        in transaction: inout WriteTransaction
    ) throws {
        guard case .tombstone(let old) = held else { return }
        try layout.tombstones.delete(&transaction, app, address)
        try layout.expiry.delete(&transaction, .tombstone(app, address), from: old.writtenAt)
    }
}
