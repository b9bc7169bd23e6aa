package import CarillonCore
import CarillonLMDB

/// The counts and sizes of the registry (`StatisticsReads`), and more of them for operators.
extension LMDBRegistry {
    package var queueLoad: WriteQueueLoad { queue.load }

    package func statistics() throws(RegistryError) -> StorageStatistics {
        try withEnvironment { environment, _ in
            let statistics = try environment.statistics()
            return StorageStatistics(
                bytes: statistics.space.usedPages * statistics.space.pageBytes, mapBytes: statistics.space.mapBytes,
                commits: statistics.lastTransaction, readers: statistics.activeReaders,
                readerAgeCommits: statistics.oldestReaderAgeInCommits, pageBytes: statistics.space.pageBytes)
        }
    }

    /// Returns the number of pages of the file that are free for new data. ``statistics()`` counts them as used.
    package func freePages() throws(RegistryError) -> Int {
        try withEnvironment { environment, _ in try environment.countFreePages() }
    }

    /// Returns the statistics of the outbox. LMDB keeps these numbers; only the list of free pages is read.
    package func outboxStatistics() throws(RegistryError) -> OutboxStatistics {
        let freeBytes = try withEnvironment { environment, _ in
            try environment.countFreePages() * environment.space().pageBytes
        }
        return try readCurrent { transaction, tables in
            OutboxStatistics(
                messages: try transaction.count(in: tables.messages.database),
                toSend: try transaction.count(in: tables.outbox.database),
                scheduled: try transaction.count(in: tables.schedule.database), freeBytes: freeBytes)
        }
    }

    package func registryCounts() throws(RegistryError) -> [ServerStatistics.AppCount] {
        try AppCounter(registry: self).counts()
    }

    /// Counts everything, in one snapshot. It names at most `largest` topics of each app.
    package func registryStatistics(largest: Int) throws(RegistryError) -> RegistryStatistics {
        try readAfterCheckpoint { transaction, tables in
            try RegistryStatistics(largest: largest, tables: tables, in: transaction)
        }
    }

    /// Reads all postings of a set and measures them. A set that does not exist has no size.
    package func postingSizes(of set: SetName, app: AppID) throws(RegistryError) -> PostingSizes {
        try readAfterCheckpoint { transaction, tables in
            try PostingSizes(of: set, app: app, tables: tables, in: transaction)
        }
    }
}
