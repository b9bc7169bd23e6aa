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

extension RegistryStatistics {
    /// Counts everything that a transaction sees. It names at most `largest` topics of each app.
    ///
    /// Goes through sets, quarantine and messages, not through devices: a second or so with a million groups.
    init(largest: Int, tables: Tables, in transaction: borrowing ReadTransaction) throws {
        self.init()
        apps = try Self.apps(largest: largest, tables: tables, in: transaction).sorted { $0.app.name < $1.app.name }
        self.tables = try tables.databases.map { name, database in
            let sizes = try transaction.size(of: database)
            return Table(name: name, rows: sizes.entries, pages: sizes.pages)
        }
        lastMessage = try tables.meta.lastMessage(in: transaction)
        lastEvent = try tables.meta.lastEvent(in: transaction)
    }

    private static func apps(
        largest: Int, tables: Tables, in transaction: borrowing ReadTransaction
    ) throws -> [App] {
        var apps: [AppNumber: App] = [:]
        try tables.apps.forEach(in: transaction) { app, record in
            var row = App(app: app)
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
        return Array(apps.values)
    }
}
