/// Devices that join a group together: the fields of JOIN (Protocol 8.1), and of the change that SWITCH asks for
/// (Protocol 8.3). Only the latter has `leaving`; on the wire SWITCH is a `SwitchGroupRequest`.
package struct JoinRequest: Hashable, Sendable {
    package var app: AppID
    package var group: GroupName
    package var devices: [DeviceReference]
    /// The group that the devices leave in the same step; nil in a JOIN.
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
