/// A group to mute or not to mute any more (UPDATE_GROUP, Protocol 7a.6).
package struct UpdateGroupRequest: Hashable, Sendable {
    package var app: AppID
    package var group: GroupName
    /// True if to mute the group; nil changes nothing.
    package var isMuted: Bool?

    package init(app: AppID, group: GroupName, isMuted: Bool? = nil) {
        self.app = app
        self.group = group
        self.isMuted = isMuted
    }
}
