/// The groups of a device, and a page of its topics with who holds each (MEMBERSHIPS, Protocol 7.6).
public struct Memberships: Hashable, Sendable {
    /// A topic and one of those that hold it for the device.
    public struct Holding: Hashable, Sendable {
        /// The topic.
        public var topic: TopicName
        /// The group that holds it, or nothing for the device itself.
        public var source: GroupName?

        /// Makes one.
        public init(topic: TopicName, source: GroupName?) {
            self.topic = topic
            self.source = source
        }
    }

    /// One of the groups that the device is in.
    public struct Membership: Hashable, Sendable {
        /// The group.
        public var group: GroupName
        /// Whether it is muted.
        public var isMuted: Bool

        /// Makes one.
        public init(group: GroupName, isMuted: Bool) {
            self.group = group
            self.isMuted = isMuted
        }
    }

    /// The device.
    public var device: DeviceID
    /// Whether the device itself is muted.
    public var isMuted: Bool
    /// Ascending.
    public var groups: [Membership]
    /// Ascending by topic, the device itself first, then its groups; all sources of a topic together.
    public var topics: [Holding]
    /// The topic after which the next page begins; nil if this was the last.
    public var next: TopicName?

    /// Makes the memberships of a device.
    public init(device: DeviceID, isMuted: Bool, groups: [Membership], topics: [Holding], next: TopicName?) {
        self.device = device
        self.isMuted = isMuted
        self.groups = groups
        self.topics = topics
        self.next = next
    }
}
