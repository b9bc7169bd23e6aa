/// The number of rows of each kind in the archive of an app.
package struct ArchiveCounts: Hashable, Sendable {
    /// Groups with topics or a mute.
    package var groups: UInt64 = 0
    /// Devices, quarantined ones among them.
    package var devices: UInt64 = 0
    package var tombstones: UInt64 = 0

    /// All rows.
    package var total: UInt64 { groups + devices + tombstones }

    /// Counts nothing.
    package init() {}
}
