package import CarillonCore
import CarillonLMDB

/// The rows of an app from end to end, in pages.
extension LMDBRegistry {
    /// Returns the apps of the registry, by name.
    package func apps() throws(RegistryError) -> [AppID] {
        try readAfterCheckpoint { transaction, tables in
            var apps: [AppID] = []
            try tables.apps.forEach(in: transaction) { app, _ in apps.append(app) }
            return apps
        }
    }

    /// Returns the apps by the numbers that findings name.
    package func appNumbers() throws(RegistryError) -> [UInt32: AppID] {
        try readAfterCheckpoint { transaction, tables in
            var apps: [UInt32: AppID] = [:]
            try tables.apps.forEach(in: transaction) { app, record in apps[record.number] = app }
            return apps
        }
    }

    /// Returns the id that the next device of an app gets; nil if there is no such app.
    package func nextDevice(of app: AppID) throws(RegistryError) -> DeviceID? {
        try readAfterCheckpoint { transaction, tables in
            try tables.apps.get(app, in: transaction).map { DeviceID(rawValue: $0.nextDevice) }
        }
    }

    /// Returns the number of rows that an archive of an app has. Goes through all of its groups, addresses and
    /// tombstones.
    package func archiveCounts(of app: AppID) throws(RegistryError) -> ArchiveCounts {
        try readAfterCheckpoint { transaction, tables in
            var counts = ArchiveCounts()
            guard let number = try tables.apps.get(app, in: transaction)?.number else { return counts }
            try tables.sets.forEach(.group, app: number, in: transaction) { _, record in
                if record.groupSubscriptions > 0 { counts.groups += 1 }
            }
            counts.devices = try tables.addresses.countDevices(app: number, in: transaction)
            try tables.tombstones.forEach(app: number, after: nil, in: transaction) { _, _ in
                counts.tombstones += 1
                return .proceed
            }
            return counts
        }
    }

    /// Returns devices with all that they hold, active and quarantined, ascending by id, after `id`; at most `limit`,
    /// taken as 1 to 4,096.
    package func archivedDevices(
        of app: AppID, after id: DeviceID?, limit: Int
    ) throws(RegistryError) -> [ArchivedDevice] {
        try readAfterCheckpoint { transaction, tables in
            guard let app = try tables.apps.get(app, in: transaction)?.number else { return [] }
            var names = SetNames(app: app, tables: tables)
            let first = DeviceID(rawValue: (id?.rawValue ?? 0) + 1)
            let devices = try Self.devices(
                of: app, from: first, limit: Self.pageLimit(limit), tables: tables, in: transaction)
            return try devices.map { device in
                var row = ArchivedDevice(device: device)
                let held = try tables.memberships.get(device.id, app: app, in: transaction)
                row.groups = try names.groups(held.groups, in: transaction)
                (row.topics, row.device.isMuted) = try names.topics(held.topics, in: transaction)
                row.quarantinedAt = try tables.quarantine.get(device.id, app: app, in: transaction)
                row.silentPushes = try tables.silentPushes.get(device.id, app: app, in: transaction)
                if device.address.kind == .web {
                    row.subscription = try tables.browsers.get(device.id, app: app, in: transaction)
                }
                return row
            }
        }
    }

    /// Returns the groups with a device or a topic, ascending, after `name`, out of the next `limit` groups. Returns
    /// also the last group that was looked at; nil if no group follows.
    package func archivedGroups(
        of app: AppID, after name: GroupName?, limit: Int
    ) throws(RegistryError) -> (rows: [ArchivedGroup], last: GroupName?) {
        try readAfterCheckpoint { transaction, tables in
            guard let app = try tables.apps.get(app, in: transaction)?.number else { return ([], nil) }
            var names = SetNames(app: app, tables: tables)
            var rows: [ArchivedGroup] = []
            var last: GroupName?
            let range = SetTable.NameRange(after: name?.name ?? "", limit: Self.pageLimit(limit))
            try tables.sets.forEach(.group, app: app, names: range, in: transaction) { label, record in
                guard let group = GroupName(label.name) else { throw RegistryError.corrupted("sets: a group") }
                last = group
                guard record.groupSubscriptions > 0 else { return }
                let held = try tables.groupTopics.topics(app: app, group: record.number, in: transaction)
                var row = ArchivedGroup(name: group)
                (row.topics, row.isMuted) = try names.topics(held, in: transaction)
                rows.append(row)
            }
            return (rows, last)
        }
    }

    /// Returns tombstones in the order of their addresses, after `address`; at most `limit`, taken as 1 to 4,096.
    package func archivedTombstones(
        of app: AppID, after address: DeviceAddress?, limit: Int
    ) throws(RegistryError) -> [ArchivedTombstone] {
        try readAfterCheckpoint { transaction, tables in
            guard let app = try tables.apps.get(app, in: transaction)?.number else { return [] }
            var rows: [ArchivedTombstone] = []
            let limit = Self.pageLimit(limit)
            try tables.tombstones.forEach(app: app, after: address, in: transaction) { address, tombstone in
                rows.append(
                    ArchivedTombstone(
                        address: address, unregisteredAt: tombstone.unregisteredAt, writtenAt: tombstone.writtenAt))
                return rows.count < limit ? .proceed : .stop
            }
            return rows
        }
    }
}

/// The names of sets by their numbers, each looked up once.
private struct SetNames {
    let app: AppNumber
    let tables: Tables
    private var labels: [SetNumber: SetLabel] = [:]

    init(app: AppNumber, tables: Tables) {
        self.app = app
        self.tables = tables
    }

    /// Returns the groups with the given numbers, ascending by name.
    mutating func groups(_ numbers: [SetNumber], in transaction: borrowing ReadTransaction) throws -> [GroupName] {
        try numbers.map { number in
            guard let group = GroupName(try label(number, in: transaction).name) else {
                throw RegistryError.corrupted("setnames: a group")
            }
            return group
        }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Returns the topics with the given numbers, ascending by name, and whether the set of the muted is among them.
    mutating func topics(
        _ numbers: [SetNumber], in transaction: borrowing ReadTransaction
    ) throws -> (topics: [TopicName], isMuted: Bool) {
        var topics: [TopicName] = []
        var isMuted = false
        for number in numbers {
            let label = try label(number, in: transaction)
            if label.kind == .muted {
                isMuted = true
            } else if let topic = TopicName(label.name) {
                topics.append(topic)
            } else {
                throw RegistryError.corrupted("setnames: a topic")
            }
        }
        topics.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return (topics, isMuted)
    }

    private mutating func label(_ number: SetNumber, in transaction: borrowing ReadTransaction) throws -> SetLabel {
        if let known = labels[number] { return known }
        guard let label = try tables.setNames.get(number, app: app, in: transaction) else {
            throw RegistryError.corrupted("setnames: no row of set \(number)")
        }
        labels[number] = label
        return label
    }
}
