/// Reads of devices, groups and topics, page by page. They show every answered change, may be made on any thread, and
/// may block on the disk.
package protocol DeviceReads: AnyObject, Sendable {
    /// Returns a page of all devices of an app, active and quarantined, with their records; `cursor` 0 starts.
    func devices(of app: AppID, cursor: UInt64, limit: Int) throws(RegistryError) -> DevicePage

    /// Returns a page of the devices of a set; `cursor` 0 starts. A set that does not exist has none.
    func devices(in set: SetName, of app: AppID, cursor: UInt64, limit: Int) throws(RegistryError) -> DeviceIDPage

    /// Returns a page of the quarantined devices; `cursor` 0 starts.
    func quarantinedDevices(of app: AppID, cursor: UInt64, limit: Int) throws(RegistryError) -> DeviceIDPage

    /// Returns the groups of a device, and its topics after `after`: at least one, then as many as make `limit` rows.
    /// Returns nil if the app has no such device.
    func memberships(
        of device: DeviceReference, app: AppID, after: String, limit: Int
    ) throws(RegistryError) -> Memberships?

    /// Returns the groups whose names begin with `prefix`, after the name `after`; at most `limit`.
    func groups(of app: AppID, prefix: String, after: String, limit: Int) throws(RegistryError) -> NamedSetPage

    /// Returns the topics whose names begin with `prefix`, after the name `after`; at most `limit`.
    func topics(of app: AppID, prefix: String, after: String, limit: Int) throws(RegistryError) -> NamedSetPage

    /// Returns the topics that a group is subscribed to, after the name `after`; at most `limit`. `devices` of the rows
    /// is the number of devices of the topics.
    func topics(
        of group: GroupName, app: AppID, after: String, limit: Int
    ) throws(RegistryError) -> NamedSetPage

    /// Counts the devices for which a condition holds.
    func explain(_ condition: Condition, app: AppID) throws(RegistryError) -> Explanation
}
