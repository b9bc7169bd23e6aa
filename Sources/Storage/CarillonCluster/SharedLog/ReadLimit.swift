/// The most entries and bytes that a read returns.
package struct ReadLimit: Hashable, Sendable {
    /// The most entries, 1 to ``maximumEntries``.
    package var entries: Int
    /// The most bytes of all encoded entries. A single entry is returned even if it has more.
    package var bytes: Int

    package static let maximumEntries = 1_000
    /// The greatest value of ``bytes``, 16 MiB.
    package static let maximumBytes = 16 << 20

    /// A number out of range becomes the nearest one in range.
    package init(entries: Int = 256, bytes: Int = 4 << 20) {
        self.entries = min(max(entries, 1), Self.maximumEntries)
        self.bytes = min(max(bytes, 1), Self.maximumBytes)
    }
}
