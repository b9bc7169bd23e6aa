/// The number of rows of each kind in the archive of an app.
package struct ArchiveCounts: Hashable, Sendable {
    /// The number of groups with topics or a mute.
    package var groups: UInt64 = 0
    /// The number of devices, quarantined ones among them.
    package var devices: UInt64 = 0
    package var tombstones: UInt64 = 0

    package var total: UInt64 { groups + devices + tombstones }

    package init() {}
}
