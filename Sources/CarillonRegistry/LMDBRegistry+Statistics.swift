package import CarillonCore
import CarillonLMDB

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension LMDBRegistry {
    /// The changes that wait for the writer now.
    package var queueLoad: WriteQueueLoad { queue.load }

    /// Pages of the file that are free for new data; see ``statistics()`` for all of them.
    package func freePages() throws(RegistryError) -> Int {
        try withEnvironment { environment, _ in try environment.countFreePages() }
    }

    /// Writes a consistent, durable copy of everything into `directory`, which must not hold one, while a server goes
    /// on; as ``CarillonLMDB/LMDBEnvironment/copy(to:compacting:)``. The copy does not rely on a write-ahead log.
    package func copy(to directory: String, compacting: Bool) throws(RegistryError) {
        try waitForCheckpoint()
        try withEnvironment { environment, _ in
            try environment.copy(to: directory, compacting: compacting)
            try Self.detachLog(at: directory)
        }
    }

    /// The state of the database now.
    package func statistics() throws(RegistryError) -> StorageStatistics {
        try withEnvironment { environment, _ in
            let statistics = try environment.statistics()
            return StorageStatistics(
                bytes: statistics.space.usedPages * statistics.space.pageBytes, mapBytes: statistics.space.mapBytes,
                commits: statistics.lastTransaction, readers: statistics.activeReaders,
                readerAge: statistics.oldestReaderAge, pageBytes: statistics.space.pageBytes)
        }
    }
}
