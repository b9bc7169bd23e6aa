/// The size and the use of the registry's storage.
package struct StorageStatistics: Hashable, Sendable {
    /// The size of the file in bytes, free pages in it included.
    package var bytes: Int
    /// The size of the memory map in bytes.
    package var mapBytes: Int
    /// The number of commits since the storage was made.
    package var commits: UInt64
    /// The number of read transactions that are open now.
    package var readers: Int
    /// The number of commits since the snapshot of the oldest of these.
    package var readerAgeCommits: UInt64
    /// The number of bytes of a page.
    package var pageBytes: Int

    package init(bytes: Int, mapBytes: Int, commits: UInt64, readers: Int, readerAgeCommits: UInt64, pageBytes: Int) {
        self.bytes = bytes
        self.mapBytes = mapBytes
        self.commits = commits
        self.readers = readers
        self.readerAgeCommits = readerAgeCommits
        self.pageBytes = pageBytes
    }
}
