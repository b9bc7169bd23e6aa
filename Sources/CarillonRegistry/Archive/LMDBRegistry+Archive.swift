package import CarillonCore
import CarillonLMDB

/// An app from end to end, in pages.
extension LMDBRegistry {
    /// The apps there are, by name.
    package func apps() throws(RegistryError) -> [AppID] {
        try read { transaction, layout in
            var apps: [AppID] = []
            try layout.apps.forEach(transaction) { app, _ in apps.append(app) }
            return apps
        }
    }

    /// The apps by the numbers that findings name.
    package func appNumbers() throws(RegistryError) -> [UInt32: AppID] {
        try read { transaction, layout in
            var apps: [UInt32: AppID] = [:]
            try layout.apps.forEach(transaction) { app, record in apps[record.number] = app }
            return apps
        }
    }

    /// The id that the next device of an app gets; nil if there is no such app.
    package func nextDevice(of app: AppID) throws(RegistryError) -> DeviceID? {
        try read { transaction, layout in
            try layout.apps.get(transaction, app).map { DeviceID(rawValue: $0.nextDevice) }
        }
    }

    /// The rows that an archive of an app has. Goes through all of its groups, addresses and tombstones.
    package func archiveCounts(of app: AppID) throws(RegistryError) -> ArchiveCounts {
        try read { transaction, layout in
            var counts = ArchiveCounts()
            guard let number = try layout.apps.get(transaction, app)?.number else { return counts }
            try layout.sets.forEach(transaction, app: number, .group, prefix: "", after: "", limit: .max) { _, record in
                if record.groupSubscriptions > 0 { counts.groups += 1 }
            }
            counts.devices = try layout.addresses.countDevices(transaction, app: number)
            try layout.tombstones.forEach(transaction, app: number, after: nil) { _, _ in
                counts.tombstones += 1
                return .goOn
            }
            return counts
        }
    }

    /// Devices with all that they hold, active and quarantined, ascending by id, after `id`; at most `limit`, taken as
    /// 1 to 4,096.
    package func archivedDevices(
        of app: AppID, after id: DeviceID?, limit: Int
    ) throws(RegistryError) -> [ArchivedDevice] {
        try read { transaction, layout in
            guard let app = try layout.apps.get(transaction, app)?.number else { return [] }
            var names = SetNames(app: app, layout: layout)
            let first = DeviceID(rawValue: (id?.rawValue ?? 0) + 1)
            return try Self.devices(of: app, from: first, limit: Self.pageLimit(limit), layout, transaction).map {
                device in
                var row = ArchivedDevice(device: device)
                let held = try layout.memberships.get(transaction, app: app, device.id)
                row.groups = try names.groups(held.groups, transaction)
                (row.topics, row.device.isMuted) = try names.topics(held.topics, transaction)
                row.quarantinedAt = try layout.quarantine.get(transaction, app: app, device.id)
                row.silentPushes = try layout.silent.get(transaction, app: app, device.id)
                return row
            }
        }
    }

    /// Groups that hold something, ascending, after `name`, out of the next `limit` groups; and the last that was
    /// looked at, nil if there is none left.
    package func archivedGroups(
        of app: AppID, after name: GroupName?, limit: Int
    ) throws(RegistryError) -> (rows: [ArchivedGroup], last: GroupName?) {
        try read { transaction, layout in
            guard let app = try layout.apps.get(transaction, app)?.number else { return ([], nil) }
            var names = SetNames(app: app, layout: layout)
            var rows: [ArchivedGroup] = []
            var last: GroupName?
            let limit = Self.pageLimit(limit)
            try layout.sets.forEach(transaction, app: app, .group, prefix: "", after: name?.name ?? "", limit: limit) {
                label, record in
                guard let group = GroupName(label.name) else { throw RegistryError.corrupted("sets: a group") }
                last = group
                guard record.groupSubscriptions > 0 else { return }
                let held = try layout.groupTopics.topics(transaction, app: app, group: record.number)
                var row = ArchivedGroup(name: group)
                (row.topics, row.isMuted) = try names.topics(held, transaction)
                rows.append(row)
            }
            return (rows, last)
        }
    }

    /// Tombstones in the order of their addresses, after `address`; at most `limit`, taken as 1 to 4,096.
    package func archivedTombstones(
        of app: AppID, after address: DeviceAddress?, limit: Int
    ) throws(RegistryError) -> [ArchivedTombstone] {
        try read { transaction, layout in
            guard let app = try layout.apps.get(transaction, app)?.number else { return [] }
            var rows: [ArchivedTombstone] = []
            let limit = Self.pageLimit(limit)
            try layout.tombstones.forEach(transaction, app: app, after: address) { address, tombstone in
                rows.append(ArchivedTombstone(address: address, at: tombstone.at, writtenAt: tombstone.writtenAt))
                return rows.count < limit ? .goOn : .stop
            }
            return rows
        }
    }
}

/// Names of sets by their numbers, each looked up once.
private struct SetNames {
    let app: AppNumber
    let layout: Layout
    private var labels: [SetNumber: SetLabel] = [:]

    init(app: AppNumber, layout: Layout) {
        self.app = app
        self.layout = layout
    }

    /// The groups of those numbers, ascending by name.
    mutating func groups(_ numbers: [SetNumber], _ transaction: borrowing ReadTransaction) throws -> [GroupName] {
        try numbers.map { number in
            guard let group = GroupName(try label(number, transaction).name) else {
                throw RegistryError.corrupted("setnames: a group")
            }
            return group
        }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// The topics of those numbers, ascending by name, and whether the set of the muted is among them.
    mutating func topics(
        _ numbers: [SetNumber], _ transaction: borrowing ReadTransaction
    ) throws -> (topics: [TopicName], isMuted: Bool) {
        var topics: [TopicName] = []
        var isMuted = false
        for number in numbers {
            let label = try label(number, transaction)
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

    private mutating func label(_ number: SetNumber, _ transaction: borrowing ReadTransaction) throws -> SetLabel {
        if let known = labels[number] { return known }
        guard let label = try layout.setNames.get(transaction, app: app, number) else {
            throw RegistryError.corrupted("setnames: a set that is not there")
        }
        labels[number] = label
        return label
    }
}
