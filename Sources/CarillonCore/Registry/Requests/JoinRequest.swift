/// A request that lets devices join a group together (JOIN, Protocol 8.1); with `leaving`, they leave another one
/// (SWITCH, Protocol 8.3).
package struct JoinRequest: Hashable, Sendable {
    package var app: AppID
    /// The group to join.
    package var group: GroupName
    /// The devices that join.
    package var devices: [DeviceReference]
    /// The group that the devices leave in the same step; nil for none.
    package var leaving: GroupName?
    /// The alert to the *other* devices of the group, sent if a device joins that was not in it; nil for none.
    package var announcement: MessageContent?

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
