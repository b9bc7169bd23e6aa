/// The size of the postings of a set on the disk.
package struct PostingSizes: Hashable, Sendable {
    package var devices = 0
    /// The number of chunks that have a device.
    package var chunks = 0
    /// The number of bytes of their keys and values.
    package var bytes = 0
    /// The number of pages that contain chunks of the set. A page that two sets share counts for both.
    package var pages = 0

    package init() {}
}
