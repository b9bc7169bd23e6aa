/// The groups of a device, and a page of its topics with the sources of each (MEMBERSHIPS, Protocol 7.6).
public struct Memberships: Hashable, Sendable {
    /// A topic of the device, with one of its sources.
    public struct TopicMembership: Hashable, Sendable {
        /// The topic; it occurs once for each of its sources.
        public var topic: TopicName
        /// The group through which the device has the topic; nil if the device itself is subscribed.
        public var source: GroupName?

        /// Makes a membership; nil for `source` means that the device itself is subscribed.
        public init(topic: TopicName, source: GroupName?) {
            self.topic = topic
            self.source = source
        }
    }

    /// A group that the device is in.
    public struct GroupMembership: Hashable, Sendable {
        /// The name of the group.
        public var group: GroupName
        /// True if the group is muted: its devices get no pushes.
        public var isMuted: Bool

        /// Makes a membership of a group, muted or not.
        public init(group: GroupName, isMuted: Bool) {
            self.group = group
            self.isMuted = isMuted
        }
    }

    /// The device that has these memberships.
    public var device: DeviceID
    /// True if the device itself is muted.
    public var isMuted: Bool
    /// The groups, ascending by name.
    public var groups: [GroupMembership]
    /// The topics, ascending by name, all sources of a topic together: the device itself first, then its groups.
    public var topics: [TopicMembership]
    /// The topic after which the next page begins; nil if this is the last page.
    public var next: TopicName?

    /// Makes a page; its lists must be in the order of their properties. Without `next` it is the last page.
    public init(device: DeviceID, isMuted: Bool, groups: [GroupMembership], topics: [TopicMembership], next: TopicName?)
    {
        self.device = device
        self.isMuted = isMuted
        self.groups = groups
        self.topics = topics
        self.next = next
    }
}
