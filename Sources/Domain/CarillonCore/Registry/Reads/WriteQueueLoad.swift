/// The changes that wait for the writer.
package struct WriteQueueLoad: Hashable, Sendable {
    /// The number of changes.
    package var changes: Int
    /// The approximate number of bytes of these changes.
    package var bytes: Int

    package init(changes: Int, bytes: Int) {
        self.changes = changes
        self.bytes = bytes
    }
}
