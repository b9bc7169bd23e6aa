package import CarillonCore

/// The topics and the mute of a group. A group without both follows from its devices and has no row.
package struct ArchivedGroup: Hashable, Sendable {
    /// The group.
    package var name: GroupName
    /// True if the group is muted.
    package var isMuted = false
    /// The topics of the group, ascending.
    package var topics: [TopicName] = []

    /// Makes an archived group without topics and mute.
    package init(name: GroupName) {
        self.name = name
    }
}
