package import CarillonCore

/// The topics and the mute of a group. A group without both follows from its devices and has no row.
package struct ArchivedGroup: Hashable, Sendable {
    package var name: GroupName
    package var isMuted = false
    /// The topics of the group, ascending.
    package var topics: [TopicName] = []

    package init(name: GroupName) {
        self.name = name
    }
}
