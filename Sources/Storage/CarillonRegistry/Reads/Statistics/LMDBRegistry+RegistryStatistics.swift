package import CarillonCore
import CarillonLMDB

/// The counts of everything.
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
}
