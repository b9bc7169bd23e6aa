package import CarillonCore

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
