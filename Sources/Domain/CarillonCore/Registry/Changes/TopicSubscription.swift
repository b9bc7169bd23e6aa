/// Subscriptions to create or to remove: each of the topics, for each of the devices and groups (Protocol 9.1).
package struct TopicSubscription: Hashable, Sendable {
    package var app: AppID
    package var topics: [TopicName]
    /// The devices that are subscribed themselves.
    package var devices: [DeviceReference]
    /// The groups that are subscribed; their devices inherit the topics.
    package var groups: [GroupName]

    /// The most pairs of one request: topics times the sum of devices and groups.
    package static let maximumPairs = 10_000

    package init(app: AppID, topics: [TopicName], devices: [DeviceReference], groups: [GroupName] = []) {
        self.app = app
        self.topics = topics
        self.devices = devices
        self.groups = groups
    }
}
