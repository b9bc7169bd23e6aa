package import CarillonCore

/// The topics and the mute of a group. A group without both follows from its devices and has no row.
package struct ArchivedGroup: Hashable, Sendable {
    /// The group.
    package var name: GroupName
    /// True if it is muted.
    package var isMuted = false
    /// Its topics, ascending.
    package var topics: [TopicName] = []

    /// Makes one without memberships.
    package init(name: GroupName) {
        self.name = name
    }
}
