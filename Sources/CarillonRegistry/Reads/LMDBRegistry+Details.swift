package import CarillonCore
import CarillonLMDB

/// The stored parts of a message besides its status.
package struct MessageDetails: Hashable, Sendable {
    /// Its idempotency key.
    package var key: UUIDBytes
    /// Its content.
    package var content: MessageContent
    /// After it no attempt starts.
    package var notAfter: Timestamp?
    /// Which queue it waits in.
    package var lane: Lane
    /// Whether it was cancelled.
    package var isCancelled: Bool
    /// Devices that are left out of its audience.
    package var except: [DeviceID]
    /// Recipients whose next attempt waits.
    package var delayed: UInt64
}

extension LMDBRegistry {
    /// The stored parts of a message; nil if the app has no such message.
    package func details(of message: MessageID, app: AppID) throws(RegistryError) -> MessageDetails? {
        try read { transaction, layout in
            guard let number = try layout.apps.get(transaction, app)?.number,
                let progress = try layout.progress.get(transaction, message), progress.app == number
            else { return nil }
            guard let record = try layout.messages.get(transaction, message) else {
                throw RegistryError.corrupted("messages: a content is missing")
            }
            return MessageDetails(
                key: record.key, content: record.content, notAfter: record.notAfter, lane: record.lane,
                isCancelled: progress.isCancelled, except: record.live?.except ?? [],
                delayed: try layout.delays.count(transaction, message))
        }
    }

    /// The groups that are subscribed to a topic, ascending, at most `limit`, and their number. Reads the topics of all
    /// groups.
    package func subscribingGroups(
        of topic: TopicName, app: AppID, limit: Int
    ) throws(RegistryError) -> (groups: [GroupName], total: Int) {
        try read { transaction, layout in
            guard let app = try layout.apps.get(transaction, app)?.number,
                let number = try layout.sets.get(transaction, app: app, .topic(topic))?.number
            else { return ([], 0) }
            var groups: [GroupName] = []
            var total = 0
            try layout.groupTopics.forEach(transaction) { place, group, held in
                guard place == app, held == number else { return }
                total += 1
                guard groups.count < limit else { return }
                guard let name = try layout.setNames.get(transaction, app: app, group).flatMap({ GroupName($0.name) })
                else {
                    throw RegistryError.corrupted("setnames: a group")
                }
                groups.append(name)
            }
            return (groups.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }, total)
        }
    }

    /// Since when a device is quarantined; nil if it is not.
    package func quarantinedSince(_ device: DeviceID, of app: AppID) throws(RegistryError) -> Timestamp? {
        try read { transaction, layout in
            try layout.apps.get(transaction, app).flatMap {
                try layout.quarantine.get(transaction, app: $0.number, device)
            }
        }
    }

    /// When APNs accepted the last silent pushes to a device, ascending.
    package func silentPushes(to device: DeviceID, of app: AppID) throws(RegistryError) -> [Timestamp] {
        try read { transaction, layout in
            try layout.apps.get(transaction, app).map { try layout.silent.get(transaction, app: $0.number, device) }
                ?? []
        }
    }
}
