/// Devices that enter a group together (JOIN, Protocol 7a.1); with `leaving`, from another one (SWITCH, Protocol 7a.3).
package struct Join: Hashable, Sendable {
    /// The app.
    package var app: AppID
    /// The group to enter.
    package var group: GroupName
    /// The devices that enter.
    package var devices: [DeviceReference]
    /// A group that they leave in the same step.
    package var leaving: GroupName?
    /// An alert for the *other* devices of the group, sent if a device enters that was not in it.
    package var announcement: MessageContent?

    /// Makes a join.
    package init(
        app: AppID,
        group: GroupName,
        devices: [DeviceReference],
        leaving: GroupName? = nil,
        announcement: MessageContent? = nil
    ) {
        self.app = app
        self.group = group
        self.devices = devices
        self.leaving = leaving
        self.announcement = announcement
    }
}

/// Devices that leave a group (LEAVE, Protocol 7a.2).
package struct Leave: Hashable, Sendable {
    /// The app.
    package var app: AppID
    /// The group.
    package var group: GroupName
    /// The devices that leave.
    package var devices: [DeviceReference]
    /// Whether the devices' own subscriptions end as well, as at a sign-out.
    package var clearsTopics: Bool

    /// Makes a leave.
    package init(app: AppID, group: GroupName, devices: [DeviceReference], clearsTopics: Bool = false) {
        self.app = app
        self.group = group
        self.devices = devices
        self.clearsTopics = clearsTopics
    }
}

/// Subscriptions to make or to end: each of the topics, for each of the devices and groups (Protocol 7b.1).
package struct Subscription: Hashable, Sendable {
    /// The app.
    package var app: AppID
    /// The topics.
    package var topics: [TopicName]
    /// Devices that are subscribed themselves.
    package var devices: [DeviceReference]
    /// Groups whose devices inherit them.
    package var groups: [GroupName]

    /// Topics times (devices and groups) of one request at most.
    package static let pairLimit = 10_000

    /// Makes a subscription.
    package init(app: AppID, topics: [TopicName], devices: [DeviceReference], groups: [GroupName] = []) {
        self.app = app
        self.topics = topics
        self.devices = devices
        self.groups = groups
    }
}

/// The answer to a change of groups or topics.
package struct MembershipAnswer: Hashable, Sendable {
    /// Devices that entered or left, or sources of a topic that are new or gone.
    package var changed: UInt32 = 0
    /// Of a switch: devices that left the other group.
    package var left: UInt32 = 0
    /// Which devices of the request are not registered, by index.
    package var unknown: [UInt32] = []
    /// The first device of the request that is registered.
    package var device: DeviceID?
    /// Devices whose audiences may have changed.
    package var affected: Affected = .devices([])
    /// The announcement that was accepted, and its entry in the outbox if it has an audience.
    package var announcement: Announcement?

    /// The devices whose audiences may have changed.
    package enum Affected: Hashable, Sendable {
        /// These devices.
        case devices([DeviceID])
        /// More than a list is worth: all devices of the app are to be read again.
        case everybody
    }

    /// An accepted announcement.
    package struct Announcement: Hashable, Sendable {
        /// The message.
        package var id: MessageID
        /// The entry for the delivery engine; nil if there are no recipients.
        package var entry: OutboxEntry?

        /// Makes one.
        package init(id: MessageID, entry: OutboxEntry?) {
            self.id = id
            self.entry = entry
        }
    }

    /// Makes an answer of nothing.
    package init() {}
}

/// A page of names in the order of their bytes (GROUPS and TOPICS).
package struct NamedSetPage: Hashable, Sendable {
    /// One set.
    package struct Row: Hashable, Sendable {
        /// Its name.
        package var name: String
        /// Devices in it.
        package var devices: UInt64
        /// Of a group: whether it is muted.
        package var isMuted: Bool

        /// Makes a row.
        package init(name: String, devices: UInt64, isMuted: Bool = false) {
            self.name = name
            self.devices = devices
            self.isMuted = isMuted
        }
    }

    /// The name after which the next page begins; nil if this was the last.
    package var next: String?
    /// Ascending.
    package var rows: [Row]

    /// Makes a page.
    package init(next: String?, rows: [Row]) {
        self.next = next
        self.rows = rows
    }
}

/// A page of all devices of an app, with what is stored of each (DEVICES).
package struct DeviceRecordPage: Hashable, Sendable {
    /// Where the next page begins; 0 = this was the last.
    package var next: UInt64
    /// Ascending by id; active and quarantined ones.
    package var devices: [Device]

    /// Makes a page.
    package init(next: UInt64, devices: [Device]) {
        self.next = next
        self.devices = devices
    }
}

/// A page of the devices of a set.
package struct DevicePage: Hashable, Sendable {
    /// Where the next page begins; 0 = this was the last.
    package var next: UInt64
    /// Ascending.
    package var devices: [DeviceID]

    /// Makes a page.
    package init(next: UInt64, devices: [DeviceID]) {
        self.next = next
        self.devices = devices
    }
}
