package import CarillonCore
import CarillonLMDB

/// Writes whole apps, as they were archived, into a data directory that no server uses. Devices keep their ids and
/// times.
///
/// Each call is one transaction. The directory is free again when the builder is released. Not for several threads.
package final class RegistryBuilder {
    private let lock: DirectoryLock
    private let environment: LMDBEnvironment
    private let tables: Tables
    private let context: WriteContext
    private let maximumMapBytes: Int
    /// True if the caches of the context contain changes that were not committed.
    private var hasUncommittedChanges = false

    /// Opens the registry in the directory `path`, which must exist, or makes it there.
    ///
    /// - Throws: `.inUse` if another process uses it, `.storageFailed` if the disk fails, `.corrupted` if it was not
    ///   made by this schema or one that is upgraded.
    package init(path: String) throws(RegistryError) {
        var options = LMDBRegistry.Options()
        options.usesLog = false
        options.settings = nil
        // This makes missing tables, and upgrades the schema.
        try LMDBRegistry(path: path, options: options).close()
        do {
            var opening = LMDBEnvironment.Options()
            opening.mapBytes = options.mapBytes
            opening.maximumDatabases = Tables.databaseCount
            lock = try DirectoryLock(path: path)
            environment = try LMDBEnvironment(path: path, options: opening)
            tables = try Tables(environment, identity: RegistryIdentity(of: environment), ifMissing: .fail)
            context = WriteContext(tables: tables, options: options)
            maximumMapBytes = options.maximumMapBytes
        } catch {
            throw RegistryError(reading: error)
        }
    }

    /// Gives the registry a new epoch, which invalidates what clients remember of the old one (Protocol 6.1).
    package func renewEpoch() throws(RegistryError) {
        try write { transaction in try tables.meta.putEpoch(.random(), in: &transaction) }
    }

    /// Makes an app whose devices have ids before `next`. Returns false if the app exists already.
    ///
    /// - Throws: `.corrupted` if `next` is 0, or above the bound of all ids.
    package func add(_ app: AppID, next: DeviceID) throws(RegistryError) -> Bool {
        try write { transaction in
            guard try context.ids.knownNumber(of: app, in: transaction) == nil else { return false }
            guard (1...AppTable.deviceBound).contains(next.rawValue) else {
                throw RegistryError.corrupted("an id that no device can have")
            }
            _ = try context.ids.number(of: app, in: &transaction)
            context.ids.reserveDevices(of: app, before: next)
            return true
        }
    }

    package func add(_ groups: [ArchivedGroup], to app: AppID) throws(RegistryError) {
        try write { transaction in
            for group in groups { try importGroup(group, of: app, in: &transaction) }
        }
    }

    /// Writes devices; groups with topics were written before.
    ///
    /// - Throws: `.corrupted` if a device or an address was written already, or if an id is not before `next`.
    package func add(_ devices: [ArchivedDevice], to app: AppID) throws(RegistryError) {
        try write { transaction in
            for device in devices { try importDevice(device, of: app, in: &transaction) }
        }
    }

    package func add(_ tombstones: [ArchivedTombstone], to app: AppID) throws(RegistryError) {
        try write { transaction in
            for tombstone in tombstones { try importTombstone(tombstone, of: app, in: &transaction) }
        }
    }

    /// Runs `body` in a transaction that is committed to the disk; a map that is full grows while it may.
    private func write<R>(
        _ body: (inout WriteTransaction) throws -> R
    ) throws(RegistryError) -> R {
        do {
            let result = try environment.write(growingTo: maximumMapBytes) { transaction in
                if hasUncommittedChanges { context.transactionAborted() }
                hasUncommittedChanges = true
                let result = try body(&transaction)
                try context.endChange(in: &transaction)
                try context.flush(in: &transaction)
                // No write-ahead log continues this state.
                var position = try tables.meta.storedWAL(in: transaction).position
                position.state = .random()
                try tables.meta.putWALPosition(position, in: &transaction)
                return result
            }
            hasUncommittedChanges = false
            context.transactionCommitted()
            return result
        } catch {
            throw RegistryError(reading: error)
        }
    }
}

/// Writes the rows of an archive, without the rules for requests.
extension RegistryBuilder {
    private func importGroup(_ row: ArchivedGroup, of app: AppID, in transaction: inout WriteTransaction) throws {
        try context.sets.shrinkIfFull(in: &transaction)
        let app = try context.ids.number(of: app, in: &transaction)
        let group = try context.deviceSets.set(.group(row.name), of: app, in: &transaction)
        for label in row.topics.map(SetLabel.topic) + (row.isMuted ? [.muted] : []) {
            _ = try context.deviceSets.addTopic(
                context.deviceSets.set(label, of: app, in: &transaction), to: group, in: &transaction)
        }
    }

    private func importDevice(_ row: ArchivedDevice, of app: AppID, in transaction: inout WriteTransaction) throws {
        try context.sets.shrinkIfFull(in: &transaction)
        let device = row.device
        guard (1..<context.ids.nextDevice(of: app)).contains(device.id.rawValue) else {
            throw row.corrupted("its id was not given")
        }
        let app = try context.ids.number(of: app, in: &transaction)
        let digest = tables.digest(of: device.address, app: app)
        try check(row, digest: digest, app: app, in: transaction)
        let membership = try makeMembership(of: row, app: app, in: &transaction)
        try tables.devices.put(device, app: app, in: &transaction)
        try context.tokenIndex.put(.device(device.id), at: digest, app: app, in: &transaction)
        if !membership.isEmpty { try tables.memberships.put(membership, for: device.id, app: app, in: &transaction) }
        if !row.silentPushes.isEmpty {
            try tables.silentPushes.put(row.silentPushes, for: device.id, app: app, in: &transaction)
        }
        if let subscription = row.subscription {
            try tables.browsers.put(subscription, for: device.id, app: app, in: &transaction)
        }
        guard let since = row.quarantinedAt else {
            return try context.deviceSets.insertIntoAll(device, membership: membership, app: app, in: &transaction)
        }
        try context.deviceSets.changeQuarantinedMembers(by: 1, of: membership, app: app, in: &transaction)
        try tables.quarantine.put(since, for: device.id, app: app, in: &transaction)
        try tables.expiry.insert(.quarantined(app, device.id), from: since, in: &transaction)
    }

    /// Throws if a device contradicts itself, or a device before it.
    private func check(
        _ row: ArchivedDevice, digest: AddressDigest, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws {
        guard try tables.devices.get(row.device.id, app: app, in: transaction) == nil else {
            throw row.corrupted("it is there twice")
        }
        guard try tables.addresses.get(digest, app: app, in: transaction) == nil else {
            throw row.corrupted("its token is there twice")
        }
        guard (row.device.state == .quarantined) == (row.quarantinedAt != nil) else {
            throw row.corrupted("its state contradicts its quarantine")
        }
        guard row.subscription == nil || row.device.address.kind == .web else {
            throw row.corrupted("only a browser has a subscription")
        }
    }

    /// Makes the membership of a device, and the sets that it names if there are none.
    private func makeMembership(
        of row: ArchivedDevice, app: AppNumber, in transaction: inout WriteTransaction
    ) throws -> MembershipRecord {
        var membership = MembershipRecord()
        for group in row.groups {
            _ = membership.groups.insertSorted(
                try context.deviceSets.set(.group(group), of: app, in: &transaction).number)
        }
        for label in row.topics.map(SetLabel.topic) + (row.device.isMuted ? [.muted] : []) {
            _ = membership.topics.insertSorted(try context.deviceSets.set(label, of: app, in: &transaction).number)
        }
        return membership
    }

    private func importTombstone(_ row: ArchivedTombstone, of app: AppID, in transaction: inout WriteTransaction)
        throws
    {
        let app = try context.ids.number(of: app, in: &transaction)
        guard try tables.addresses.get(tables.digest(of: row.address, app: app), app: app, in: transaction) == nil
        else {
            throw RegistryError.corrupted("a tombstone where something else is")
        }
        let scope = ChangeScope(app: app, now: row.writtenAt)
        try context.tombstones.write(
            row.address, scope: scope, replacing: nil, at: row.unregisteredAt, in: &transaction)
    }
}

extension ArchivedDevice {
    fileprivate func corrupted(_ reason: String) -> RegistryError { .corrupted("device \(device.id): \(reason)") }
}
