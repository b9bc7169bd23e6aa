package import CarillonCore
import CarillonLMDB
import Glibc

extension LMDBRegistry {
    /// The changes that wait for the writer now.
    package var queueLoad: WriteQueueLoad { queue.load }

    /// The settings that are stored; the defaults if none are.
    package func settings() throws(RegistryError) -> RegistrySettings {
        try readCurrent { transaction, layout in try layout.meta.settings(in: transaction) ?? RegistrySettings() }
    }

    /// Pages of the file that are free for new data; see ``statistics()`` for all of them.
    package func freePages() throws(RegistryError) -> Int {
        try withEnvironment { environment, _ in try environment.countFreePages() }
    }

    /// Writes a consistent, durable copy of everything into `directory`, which must not hold one, while a server goes
    /// on; as ``CarillonLMDB/LMDBEnvironment/copy(to:compacting:)``. The copy does not rely on a write-ahead log.
    ///
    /// - Parameter isSnapshot: true for a snapshot for another node of the cluster; otherwise the copy belongs to no
    ///   cluster.
    /// - Throws: `.storageFailed`, also if the server was started again meanwhile: a start may drop the commit that is
    ///   being copied.
    package func copy(
        to directory: String, compacting: Bool, isSnapshot: Bool = false
    ) throws(RegistryError) {
        try waitForCheckpoint()
        try withEnvironment { environment, layout in
            let starts = try environment.read { try layout.meta.starts(in: $0) }
            try environment.copy(to: directory, compacting: compacting)
            guard try environment.read({ try layout.meta.starts(in: $0) }) == starts else {
                throw RegistryError.storageFailed("the server was started again during the copy: copy again")
            }
            try Self.detachLog(at: directory, keepsReplica: isSnapshot)
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
