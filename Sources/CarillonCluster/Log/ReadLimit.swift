/// How much a read returns at most.
package struct ReadLimit: Hashable, Sendable {
    /// Entries, 1 to ``maximumEntries``.
    package var entries: Int
    /// Bytes of all encoded entries; one entry is returned if it has more.
    package var bytes: Int

    /// Entries of one read at most.
    package static let maximumEntries = 1_000
    /// Bytes of one read at most, 16 MiB.
    package static let maximumBytes = 16 << 20

    /// Makes a limit; numbers out of range become the nearest in range.
    package init(entries: Int = 256, bytes: Int = 4 << 20) {
        self.entries = min(max(entries, 1), Self.maximumEntries)
        self.bytes = min(max(bytes, 1), Self.maximumBytes)
    }
}
