/// A request that mutes or unmutes a group (UPDATE_GROUP, Protocol 8.6).
package struct UpdateGroupRequest: Hashable, Sendable {
    package var app: AppID
    package var group: GroupName
    /// True to mute the group, false to unmute it; nil changes nothing.
    package var isMuted: Bool?

    package init(app: AppID, group: GroupName, isMuted: Bool? = nil) {
        self.app = app
        self.group = group
        self.isMuted = isMuted
    }
}
