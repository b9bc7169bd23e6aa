package import CarillonCore
import CarillonLMDB

/// Writes whole apps, as they were archived, into a data directory that no server uses: devices keep their ids and times.
///
/// Rows are written as they come, a transaction a call. It is done when the builder is gone; not for several threads.
package final class RegistryBuilder {
    private let lock: DirectoryLock
    private let environment: LMDBEnvironment
    private let layout: Layout
    private let applier: ChangeApplier
    private let maximumMapBytes: Int
    /// Whether the applier remembers what was not committed.
    private var isAhead = false

    /// Opens the registry in the directory `path`, which must exist, or makes it there.
    ///
    /// - Throws: `.inUse` if another process uses it, `.storageFailed` if the disk fails, `.corrupted` if it was not made by this schema or the one
    ///   before it.
    package init(path: String) throws(RegistryError) {
        let options = LMDBRegistry.Options()
        // It makes what is missing, and knows what is there.
        try LMDBRegistry(path: path, options: options).close()
        do {
            var opening = LMDBEnvironment.Options()
            opening.mapBytes = options.mapBytes
            opening.maxDatabases = Layout.databaseCount
            lock = try DirectoryLock(path: path)
            environment = try LMDBEnvironment(path: path, options: opening)
            layout = try Layout(environment, LMDBRegistry.storedMark(of: environment), create: false)
            applier = ChangeApplier(layout: layout, options: options, wallClock: LMDBRegistry.realTime)
            maximumMapBytes = options.maximumMapBytes
        } catch {
            throw RegistryError(reading: error)
        }
    }

    /// Gives the registry a new epoch: what clients remember of an older one means nothing any more (Protocol 6.1).
    package func renewEpoch() throws(RegistryError) {
        try write { _, transaction in try layout.meta.putEpoch(&transaction, .random()) }
    }

    /// Makes an app whose devices have ids before `next`; false, and nothing is made, if it exists.
    ///
    /// - Throws: `.corrupted` for an id beyond all bounds.
    package func add(_ app: AppID, next: DeviceID) throws(RegistryError) -> Bool {
        try write { applier, transaction in
            guard try applier.knownApp(app, transaction) == nil else { return false }
            guard (1...AppTable.deviceBound).contains(next.rawValue) else {
                throw RegistryError.corrupted("an id that no device can have")
            }
            _ = try applier.number(of: app, in: &transaction)
            applier.reserveDevices(of: app, before: next)
            return true
        }
    }

    /// Writes groups.
    package func add(_ groups: [ArchivedGroup], to app: AppID) throws(RegistryError) {
        try write { applier, transaction in
            for group in groups { try applier.adopt(group, app, in: &transaction) }
        }
    }

    /// Writes devices; groups that hold something were written before.
    ///
    /// - Throws: `.corrupted` for a device that was written already, or an address, or an id that is not before `next`.
    package func add(_ devices: [ArchivedDevice], to app: AppID) throws(RegistryError) {
        try write { applier, transaction in
            for device in devices { try applier.adopt(device, app, in: &transaction) }
        }
    }

    /// Writes tombstones.
    package func add(_ tombstones: [ArchivedTombstone], to app: AppID) throws(RegistryError) {
        try write { applier, transaction in
            for tombstone in tombstones { try applier.adopt(tombstone, app, in: &transaction) }
        }
    }

    /// Runs `body` in a transaction that is committed to the disk; a map that is full grows while it may.
    private func write<R>(
        _ body: (ChangeApplier, inout WriteTransaction) throws -> R
    ) throws(RegistryError) -> R {
        do {
            let result = try environment.write(growingTo: maximumMapBytes) { transaction in
                if isAhead { applier.aborted() }
                isAhead = true
                let result = try body(applier, &transaction)
                try applier.flush(&transaction)
                return result
            }
            isAhead = false
            _ = applier.committed()
            return result
        } catch {
            throw RegistryError(reading: error)
        }
    }
}

/// Rows as they are, without the rules for what a caller may say.
extension ChangeApplier {
    fileprivate func adopt(_ row: ArchivedGroup, _ app: AppID, in transaction: inout WriteTransaction) throws {
        try sets.relieve(&transaction)
        let app = try number(of: app, in: &transaction)
        let group = try set(.group(row.name), of: app, in: &transaction)
        for label in row.topics.map(SetLabel.topic) + (row.isMuted ? [.muted] : []) {
            _ = try hold(set(label, of: app, in: &transaction), by: group, in: &transaction)
        }
    }

    fileprivate func adopt(_ row: ArchivedDevice, _ app: AppID, in transaction: inout WriteTransaction) throws {
        try sets.relieve(&transaction)
        let device = row.device
        guard (1..<nextDevice(of: app)).contains(device.id.rawValue) else {
            throw RegistryError.corrupted("device \(device.id): its id was not given")
        }
        let app = try number(of: app, in: &transaction)
        guard try layout.devices.get(transaction, app, device.id) == nil else {
            throw RegistryError.corrupted("device \(device.id): it is there twice")
        }
        let digest = layout.digest(of: device.address, app)
        guard try layout.addresses.get(transaction, app, digest) == nil else {
            throw RegistryError.corrupted("device \(device.id): its token is there twice")
        }
        guard (device.state == .quarantined) == (row.quarantinedAt != nil) else {
            throw RegistryError.corrupted("device \(device.id): its state contradicts its quarantine")
        }
        var held = MembershipRecord()
        for group in row.groups { _ = held.groups.add(try set(.group(group), of: app, in: &transaction).number) }
        for label in row.topics.map(SetLabel.topic) + (device.isMuted ? [.muted] : []) {
            _ = held.topics.add(try set(label, of: app, in: &transaction).number)
        }
        try layout.devices.put(&transaction, app, device)
        try put(.device(device.id), at: digest, app, in: &transaction)
        if !held.isEmpty { try layout.memberships.put(&transaction, app, device.id, held) }
        if !row.silentPushes.isEmpty { try layout.silent.put(&transaction, app, device.id, row.silentPushes) }
        guard let since = row.quarantinedAt else { return try place(device, held, app, in: &transaction) }
        try addDormant(1, held, app, transaction)
        try layout.quarantine.put(&transaction, app, device.id, since: since)
        try layout.expiry.insert(&transaction, .quarantined(app, device.id), from: since)
    }

    fileprivate func adopt(_ row: ArchivedTombstone, _ app: AppID, in transaction: inout WriteTransaction) throws {
        let app = try number(of: app, in: &transaction)
        guard try layout.addresses.get(transaction, app, layout.digest(of: row.address, app)) == nil else {
            throw RegistryError.corrupted("a tombstone where something else is")
        }
        try bury(row.address, app, held: nil, at: row.at, now: row.writtenAt, in: &transaction)
    }
}
