package import CarillonCore
import CarillonLMDB

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension LMDBRegistry {
    /// What waits for the writer.
    package struct QueueLoad: Hashable, Sendable {
        /// Changes.
        package var changes: Int
        /// Bytes of these, about.
        package var bytes: Int
    }

    /// What waits for the writer now.
    package var queueLoad: QueueLoad {
        let load = queue.load
        return QueueLoad(changes: load.changes, bytes: load.bytes)
    }

    /// The state of the database.
    package struct Storage: Hashable, Sendable {
        /// Size of the file, free pages in it included.
        package var bytes: Int
        /// Size of the map.
        package var mapBytes: Int
        /// Commits since the database was made.
        package var commits: UInt64
        /// Read transactions open now.
        package var readers: Int
        /// Commits since the snapshot of the oldest of these.
        package var readerAge: UInt64
        /// Bytes of a page.
        package var pageBytes: Int
    }

    /// Pages of the file that are free for new data; see ``storage()`` for all of them.
    package func freePages() throws(RegistryError) -> Int {
        try withEnvironment { environment, _ in try environment.countFreePages() }
    }

    /// Writes a consistent, durable copy of everything into `directory`, which must not hold one, while a server goes on; as
    /// ``CarillonLMDB/Environment/copy(to:compacting:)``.
    package func copy(to directory: String, compacting: Bool) throws(RegistryError) {
        try withEnvironment { environment, _ in try environment.copy(to: directory, compacting: compacting) }
    }

    /// The state of the database now.
    package func storage() throws(RegistryError) -> Storage {
        try withEnvironment { environment, _ in
            let statistics = try environment.statistics()
            return Storage(
                bytes: statistics.space.usedPages * statistics.space.pageBytes, mapBytes: statistics.space.mapBytes,
                commits: statistics.lastTransaction, readers: statistics.activeReaders,
                readerAge: statistics.oldestReaderAge, pageBytes: statistics.space.pageBytes)
        }
    }

    /// Nanoseconds of `CLOCK_MONOTONIC`.
    static func monotonicNanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
