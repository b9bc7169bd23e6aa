package import CarillonCore
import CarillonLMDB

extension LMDBRegistry {
    /// Counts everything, in one snapshot; of each app at most `largest` topics are named.
    ///
    /// Goes through sets, quarantine and messages, not through devices: a second or so with a million groups.
    package func census(largest: Int) throws(RegistryError) -> RegistryCensus {
        try read { transaction, layout in
            var census = RegistryCensus()
            var apps: [AppNumber: RegistryCensus.App] = [:]
            try layout.apps.forEach(transaction) { app, record in apps[record.number] = RegistryCensus.App(app: app) }
            try layout.sets.forEach(transaction) { app, label, record in
                switch label.kind {
                case .all: apps[app]?.devices = record.devices
                case .group: apps[app]?.groups += 1
                case .topic:
                    apps[app]?.topics += 1
                    apps[app]?.note(NamedSetPage.Row(name: label.name, devices: record.devices), largest: largest)
                case .muted, .attribute: break
                }
            }
            try layout.quarantine.forEach(transaction) { app, _, _ in apps[app]?.quarantined += 1 }
            try layout.progress.forEach(transaction) { _, progress in
                apps[progress.app]?.messages[progress.state, default: 0] += 1
                if !progress.isFinished { apps[progress.app]?.pending += progress.total - progress.ended }
            }
            census.apps = apps.values.sorted { $0.app.name < $1.app.name }
            census.tables = try layout.databases.map { name, database in
                let footprint = try transaction.footprint(database)
                return RegistryCensus.Table(name: name, rows: footprint.entries, pages: footprint.pages)
            }
            census.lastMessage = try layout.meta.lastMessage(transaction)
            census.lastEvent = try layout.meta.lastEvent(transaction)
            return census
        }
    }
}

extension RegistryCensus.App {
    /// Keeps the largest topics.
    fileprivate mutating func note(_ topic: NamedSetPage.Row, largest: Int) {
        let place = largestTopics.firstIndex { $0.devices < topic.devices } ?? largestTopics.count
        guard place < largest else { return }
        largestTopics.insert(topic, at: place)
        if largestTopics.count > largest { largestTopics.removeLast() }
    }
}
