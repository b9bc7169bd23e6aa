/// A request that lets devices leave a group (LEAVE, Protocol 8.2).
package struct LeaveRequest: Hashable, Sendable {
    package var app: AppID
    package var group: GroupName
    package var devices: [DeviceReference]
    /// True if the devices' own subscriptions end as well, as at a sign-out.
    package var clearsTopics: Bool

    package init(app: AppID, group: GroupName, devices: [DeviceReference], clearsTopics: Bool = false) {
        self.app = app
        self.group = group
        self.devices = devices
        self.clearsTopics = clearsTopics
    }
}
