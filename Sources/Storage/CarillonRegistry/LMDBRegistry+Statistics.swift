package import CarillonCore
import CarillonLMDB

/// The numbers about the storage.
extension LMDBRegistry {
    /// The changes that wait for the writer now.
    package var queueLoad: WriteQueueLoad { queue.load }

    /// Returns the number of pages of the file that are free for new data; ``statistics()`` has all of them.
    package func freePages() throws(RegistryError) -> Int {
        try withEnvironment { environment, _ in try environment.countFreePages() }
    }

    /// Returns the state of the database now.
    package func statistics() throws(RegistryError) -> StorageStatistics {
        try withEnvironment { environment, _ in
            let statistics = try environment.statistics()
            return StorageStatistics(
                bytes: statistics.space.usedPages * statistics.space.pageBytes, mapBytes: statistics.space.mapBytes,
                commits: statistics.lastTransaction, readers: statistics.activeReaders,
                readerAgeCommits: statistics.oldestReaderAgeInCommits, pageBytes: statistics.space.pageBytes)
        }
    }
}
