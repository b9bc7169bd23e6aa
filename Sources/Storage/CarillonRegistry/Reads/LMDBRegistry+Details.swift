package import CarillonCore
import CarillonLMDB

/// Single facts about a message, a topic or a device, for `carillon-dump`.
extension LMDBRegistry {
    /// The stored parts of a message that its status lacks.
    package struct MessageDetails: Hashable, Sendable {
        /// The idempotency key of the message; nil if the sender gave none.
        package let key: UUIDBytes?
        package let content: MessageContent
        /// The time after which no attempt starts; nil if the message sets no such time.
        package let notAfter: Timestamp?
        package let lane: Lane
        package let isCancelled: Bool
        /// The devices that are left out of its audience.
        package let excluded: [DeviceID]
        package let delayedCount: UInt64
    }

    /// Returns the details of a message; nil if the app has no such message.
    package func details(of message: MessageID, app: AppID) throws(RegistryError) -> MessageDetails? {
        try readAfterCheckpoint { transaction, tables in
            guard let number = try tables.apps.get(app, in: transaction)?.number,
                let progress = try tables.progress.get(message, in: transaction), progress.app == number
            else { return nil }
            guard let record = try tables.messages.get(message, in: transaction) else {
                throw RegistryError.corrupted("messages: a content is missing")
            }
            return MessageDetails(
                key: record.key, content: record.content, notAfter: record.notAfter, lane: record.lane,
                isCancelled: progress.isCancelled, excluded: record.live?.excluded ?? [],
                delayedCount: try tables.delays.count(message, in: transaction))
        }
    }

    /// Returns the groups that are subscribed to a topic, ascending, at most `limit`, and their number. Reads the
    /// topics of all groups.
    package func subscribingGroups(
        of topic: TopicName, app: AppID, limit: Int
    ) throws(RegistryError) -> (groups: [GroupName], total: Int) {
        try readAfterCheckpoint { transaction, tables in
            guard let app = try tables.apps.get(app, in: transaction)?.number,
                let number = try tables.sets.get(.topic(topic), app: app, in: transaction)?.number
            else { return ([], 0) }
            var groups: [GroupName] = []
            var total = 0
            try tables.groupTopics.forEach(in: transaction) { groupApp, group, held in
                guard groupApp == app, held == number else { return }
                total += 1
                guard groups.count < limit else { return }
                guard
                    let name = try tables.setNames.get(group, app: app, in: transaction).flatMap({ GroupName($0.name) })
                else {
                    throw RegistryError.corrupted("setnames: a group")
                }
                groups.append(name)
            }
            return (groups.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }, total)
        }
    }

    package func quarantinedSince(_ device: DeviceID, of app: AppID) throws(RegistryError) -> Timestamp? {
        try readAfterCheckpoint { transaction, tables in
            try tables.apps.get(app, in: transaction).flatMap {
                try tables.quarantine.get(device, app: $0.number, in: transaction)
            }
        }
    }

    /// Returns the times at which the provider accepted the last silent pushes to a device, ascending.
    package func silentPushes(to device: DeviceID, of app: AppID) throws(RegistryError) -> [Timestamp] {
        try readAfterCheckpoint { transaction, tables in
            try tables.apps.get(app, in: transaction).map {
                try tables.silentPushes.get(device, app: $0.number, in: transaction)
            }
                ?? []
        }
    }
}
