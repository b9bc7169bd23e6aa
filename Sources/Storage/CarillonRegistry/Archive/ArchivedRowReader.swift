import CarillonCore
import CarillonLMDB

/// Reads the rows of the archive of an app, in pages. A `limit` is taken as 1 to 4,096.
struct ArchivedRowReader {
    private let app: AppNumber
    private let tables: Tables

    /// Makes a reader; nil if there is no such app.
    init?(app: AppID, tables: Tables, in transaction: borrowing ReadTransaction) throws {
        guard let number = try tables.apps.get(app, in: transaction)?.number else { return nil }
        self.app = number
        self.tables = tables
    }

    /// Counts all rows.
    func counts(in transaction: borrowing ReadTransaction) throws -> ArchiveCounts {
        var counts = ArchiveCounts()
        try tables.sets.forEach(.group, app: app, in: transaction) { _, record in
            if record.groupSubscriptions > 0 { counts.groups += 1 }
        }
        counts.devices = try tables.addresses.countDevices(app: app, in: transaction)
        try tables.tombstones.forEach(app: app, after: nil, in: transaction) { _, _ in
            counts.tombstones += 1
            return .proceed
        }
        return counts
    }

    /// Returns devices with all that they hold, active and quarantined, ascending by id, after `id`; at most `limit`.
    func devices(
        after id: DeviceID?, limit: Int, in transaction: borrowing ReadTransaction
    ) throws -> [ArchivedDevice] {
        var names = SetNames(app: app, tables: tables)
        let first = DeviceID(rawValue: (id?.rawValue ?? 0) + 1)
        let devices = try tables.devices.devices(
            app: app, from: first, limit: RegistryLimits.pageLimit(limit), in: transaction)
        return try devices.map { device in
            var row = ArchivedDevice(device: device)
            let held = try tables.memberships.get(device.id, app: app, in: transaction)
            row.groups = try names.groups(held.groups, in: transaction)
            let topics = try names.topics(held.topics, in: transaction)
            row.topics = topics.names
            row.device.isMuted = topics.includeMuted
            row.quarantinedAt = try tables.quarantine.get(device.id, app: app, in: transaction)
            row.silentPushes = try tables.silentPushes.get(device.id, app: app, in: transaction)
            if device.address.kind == .web {
                row.subscription = try tables.browsers.get(device.id, app: app, in: transaction)
            }
            return row
        }
    }

    /// Looks at the next `limit` groups after `name`. Returns those that have a topic or a mute, ascending, and the
    /// last group that was looked at; nil if no group follows.
    func groups(
        after name: GroupName?, limit: Int, in transaction: borrowing ReadTransaction
    ) throws -> (rows: [ArchivedGroup], last: GroupName?) {
        var names = SetNames(app: app, tables: tables)
        var rows: [ArchivedGroup] = []
        var last: GroupName?
        let range = SetTable.NameRange(after: name?.name ?? "", limit: RegistryLimits.pageLimit(limit))
        try tables.sets.forEach(.group, app: app, names: range, in: transaction) { label, record in
            guard let group = GroupName(label.name) else { throw RegistryError.corrupted("sets: an invalid group") }
            last = group
            guard record.groupSubscriptions > 0 else { return }
            let held = try tables.groupTopics.topics(app: app, group: record.number, in: transaction)
            var row = ArchivedGroup(name: group)
            let topics = try names.topics(held, in: transaction)
            row.topics = topics.names
            row.isMuted = topics.includeMuted
            rows.append(row)
        }
        return (rows, last)
    }

    /// Returns tombstones in the order of their addresses, after `address`; at most `limit`.
    func tombstones(
        after address: DeviceAddress?, limit: Int, in transaction: borrowing ReadTransaction
    ) throws -> [ArchivedTombstone] {
        var rows: [ArchivedTombstone] = []
        let limit = RegistryLimits.pageLimit(limit)
        try tables.tombstones.forEach(app: app, after: address, in: transaction) { address, tombstone in
            rows.append(
                ArchivedTombstone(
                    address: address, unregisteredAt: tombstone.unregisteredAt, writtenAt: tombstone.writtenAt))
            return rows.count < limit ? .proceed : .stop
        }
        return rows
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
            guard let group = GroupName(try getLabel(number, in: transaction).name) else {
                throw RegistryError.corrupted("setnames: an invalid group")
            }
            return group
        }.sorted { $0.name.isBefore($1.name) }
    }

    /// Returns the topics with the given numbers, ascending by name, and whether the set of the muted is among the
    /// numbers.
    mutating func topics(
        _ numbers: [SetNumber], in transaction: borrowing ReadTransaction
    ) throws -> (names: [TopicName], includeMuted: Bool) {
        var names: [TopicName] = []
        var includeMuted = false
        for number in numbers {
            let label = try getLabel(number, in: transaction)
            if label.kind == .muted {
                includeMuted = true
            } else if let topic = TopicName(label.name) {
                names.append(topic)
            } else {
                throw RegistryError.corrupted("setnames: an invalid topic")
            }
        }
        names.sort { $0.name.isBefore($1.name) }
        return (names, includeMuted)
    }

    private mutating func getLabel(_ number: SetNumber, in transaction: borrowing ReadTransaction) throws -> SetLabel {
        if let known = labels[number] { return known }
        let label = try tables.setNames.label(of: number, app: app, in: transaction)
        labels[number] = label
        return label
    }
}
