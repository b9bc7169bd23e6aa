/// The load, the sizes and the counts of the registry.
package protocol StatisticsReads: AnyObject, Sendable {
    /// The changes that wait for the writer now. To read it costs a lock.
    var queueLoad: WriteQueueLoad { get }

    /// Returns the size and the use of the storage now. Reads no pages.
    func statistics() throws(RegistryError) -> StorageStatistics

    /// Counts the messages that are kept now, and the free room in the storage.
    func outboxStatistics() throws(RegistryError) -> OutboxStatistics

    /// Counts the devices, groups and topics of each app, by name. Reads the names of all groups and topics: for a
    /// thread that may take seconds.
    func registryCounts() throws(RegistryError) -> [ServerStatistics.AppCount]
}

/// The changes that wait for the writer.
package struct WriteQueueLoad: Hashable, Sendable {
    package var changes: Int
    /// The approximate number of bytes of these changes.
    package var bytes: Int

    package init(changes: Int, bytes: Int) {
        self.changes = changes
        self.bytes = bytes
    }
}

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

/// The numbers of the messages that are kept, and the free room in the storage.
package struct OutboxStatistics: Hashable, Sendable {
    /// The number of messages in any state.
    package var messages: Int
    /// The number of messages that are to be sent now.
    package var toSend: Int
    /// The number of messages that wait for their time.
    package var scheduled: Int
    /// The number of bytes of pages that were used once and are free.
    package var freeBytes: Int

    package init(messages: Int, toSend: Int, scheduled: Int, freeBytes: Int) {
        self.messages = messages
        self.toSend = toSend
        self.scheduled = scheduled
        self.freeBytes = freeBytes
    }
}
