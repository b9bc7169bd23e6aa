/// The size of the postings of a set on the disk.
package struct PostingSizes: Hashable, Sendable {
    /// Devices in the set.
    package var devices = 0
    /// Chunks that have a device.
    package var chunks = 0
    /// Bytes of their keys and values.
    package var bytes = 0
    /// Pages that contain chunks of the set. A page that two sets share counts for both.
    package var pages = 0

    /// Makes one of nothing.
    package init() {}
}
