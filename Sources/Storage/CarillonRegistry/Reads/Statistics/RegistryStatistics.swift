package import CarillonCore
import CarillonLMDB

/// The sizes and counts of the registry.
package struct RegistryStatistics: Hashable, Sendable {
    /// The counts of one app.
    package struct App: Hashable, Sendable {
        package var app: AppID
        /// The number of devices that can be sent to.
        package var devices: UInt64 = 0
        /// The number of these devices that each provider delivers to; nil if they were not counted.
        package var devicesByProvider: [Provider: UInt64]?
        /// The number of devices whose tokens are dead.
        package var quarantined: UInt64 = 0
        /// The number of groups; groups without devices count if they have topics.
        package var groups: UInt64 = 0
        package var topics: UInt64 = 0
        /// The topics with most devices, the largest first.
        package var largestTopics: [NamedSetPage.Row] = []
        /// The number of messages that are kept, by state; nil if they were not counted.
        package var messages: [MessageState: UInt64]?
        /// The number of devices of unfinished messages that have no outcome.
        package var pending: UInt64 = 0

        package init(app: AppID) {
            self.app = app
        }

        /// Keeps a topic if it is among the `largest` topics with most devices.
        package mutating func insert(_ topic: NamedSetPage.Row, largest: Int) {
            let index = largestTopics.firstIndex { $0.devices < topic.devices } ?? largestTopics.count
            guard index < largest else { return }
            largestTopics.insert(topic, at: index)
            if largestTopics.count > largest { largestTopics.removeLast() }
        }
    }

    /// The size of one table.
    package struct Table: Hashable, Sendable {
        package var name: String
        package var rows: Int
        package var pages: Int
    }

    /// The apps by name.
    package var apps: [App] = []
    /// The tables in the order in which they are opened.
    package var tables: [Table] = []
    /// The last message id given.
    package var lastMessage: UInt64 = 0
    package var lastEvent: UInt64 = 0

    package func rows(_ name: String) -> Int { tables.first { $0.name == name }?.rows ?? 0 }

    /// The number of unregistrations that are remembered.
    package var tombstones: Int { rows("tombstones") }
}

/// The counts of the registry: everything in one snapshot, and of each app in many short reads.
extension LMDBRegistry {
    /// Counts everything, in one snapshot. It names at most `largest` topics of each app.
    ///
    /// Goes through sets, quarantine and messages, not through devices: a second or so with a million groups.
    package func registryStatistics(largest: Int) throws(RegistryError) -> RegistryStatistics {
        try readAfterCheckpoint { transaction, tables in
            var statistics = RegistryStatistics()
            var apps: [AppNumber: RegistryStatistics.App] = [:]
            try tables.apps.forEach(in: transaction) { app, record in
                var row = RegistryStatistics.App(app: app)
                row.messages = [:]
                row.devicesByProvider = [:]
                apps[record.number] = row
            }
            try tables.sets.forEach(in: transaction) { app, label, record in
                switch label.kind {
                case .all: apps[app]?.devices = record.devices
                case .group: apps[app]?.groups += 1
                case .topic:
                    apps[app]?.topics += 1
                    apps[app]?.insert(NamedSetPage.Row(name: label.name, devices: record.devices), largest: largest)
                case .attribute:
                    guard label.name == AttributeKey.kind.name, let kind = TokenKind(name: label.value) else { return }
                    apps[app]?.devicesByProvider?[kind.provider, default: 0] += record.devices
                case .muted: break
                }
            }
            try tables.quarantine.forEach(in: transaction) { app, _, _ in apps[app]?.quarantined += 1 }
            try tables.progress.forEach(in: transaction) { _, progress in
                apps[progress.app]?.messages?[progress.state, default: 0] += 1
                if !progress.isFinished { apps[progress.app]?.pending += progress.total - progress.ended }
            }
            statistics.apps = apps.values.sorted { $0.app.name < $1.app.name }
            statistics.tables = try tables.databases.map { name, database in
                let sizes = try transaction.size(of: database)
                return RegistryStatistics.Table(name: name, rows: sizes.entries, pages: sizes.pages)
            }
            statistics.lastMessage = try tables.meta.lastMessage(in: transaction)
            statistics.lastEvent = try tables.meta.lastEvent(in: transaction)
            return statistics
        }
    }

    /// Counts the devices, groups and topics of each app, by name. Reads the names of all groups and topics and the
    /// quarantine, in many short reads, which may see different snapshots.
    package func registryCounts() throws(RegistryError) -> [ServerStatistics.AppCount] {
        let apps = try readAfterCheckpoint { transaction, tables in
            var apps: [(AppID, AppNumber)] = []
            try tables.apps.forEach(in: transaction) { app, record in apps.append((app, record.number)) }
            return apps
        }
        var counts: [ServerStatistics.AppCount] = []
        for (app, number) in apps {
            let (devices, byProvider) = try readAfterCheckpoint { transaction, tables in
                (
                    try tables.sets.get(.all, app: number, in: transaction)?.devices ?? 0,
                    try Self.devicesByProvider(of: number, tables: tables, in: transaction)
                )
            }
            counts.append(
                ServerStatistics.AppCount(
                    app: app, devices: devices,
                    quarantined: try count(QuarantineTable.prefix(number)) { $0.quarantine.database },
                    groups: try count(SetTable.prefix(number, kind: .group)) { $0.sets.database },
                    topics: try count(SetTable.prefix(number, kind: .topic)) { $0.sets.database },
                    devicesByProvider: byProvider))
        }
        return counts
    }

    /// Returns the number of active devices of an app by provider, with every provider. Each device is in the set of
    /// its token kind, and the record of each set has its number of devices. So this reads a record for each kind, and
    /// no device.
    private static func devicesByProvider(
        of app: AppNumber, tables: Tables, in transaction: borrowing ReadTransaction
    ) throws -> [Provider: UInt64] {
        var counts: [Provider: UInt64] = [:]
        for kind in TokenKind.allCases {
            let label = SetLabel.attribute(AttributeKey.kind.name, kind.name)
            counts[kind.provider, default: 0] += try tables.sets.get(label, app: app, in: transaction)?.devices ?? 0
        }
        return counts
    }

    /// The number of keys that are counted in one read: a millisecond or so.
    private static let keysPerRead = 10_000

    private func count(_ prefix: [UInt8], in database: (Tables) -> Database) throws(RegistryError) -> UInt64 {
        var total: UInt64 = 0
        var last: [UInt8]?
        repeat {
            let (count, end) = try readAfterCheckpoint { transaction, tables in
                var seen = 0
                var end: [UInt8]?
                try transaction.forEach(
                    in: database(tables), prefix: prefix.span, after: last?.span, limit: Self.keysPerRead
                ) { key, _ in
                    seen += 1
                    if seen == Self.keysPerRead { end = key.withUnsafeBufferPointer { Array($0) } }
                    return .proceed
                }
                return (seen, end)
            }
            total += UInt64(count)
            last = end
        } while last != nil
        return total
    }
}
