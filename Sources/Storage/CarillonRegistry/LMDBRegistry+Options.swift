package import CarillonCore
import CarillonLMDB

/// The options with which a registry is opened.
extension LMDBRegistry {
    /// The sizes and times of a registry, and the closures that it calls.
    package struct Options: Sendable {
        /// The size of the map at opening, in bytes; it grows by doubling.
        package var mapBytes = 1 << 30
        /// The largest map, in bytes: the limit of the data.
        package var maximumMapBytes = 64 << 30
        /// The number of bytes that the map may grow beyond its limit, for changes that are answered already or make
        /// room.
        package var overdraftBytes = 512 << 20
        /// The number of free bytes of the file system below which messages and registrations are refused.
        package var reservedDiskBytes: UInt64 = 256 << 20
        /// True to make a missing directory, but not its parents.
        package var createsDirectory = true
        /// The number of slots of readers in the lock file: two for each thread that may read at once.
        package var maximumReaders = 126
        /// The most changes of one batch, and so of one record of the log. A submission is never split.
        package var maximumBatchChanges = 8_000
        /// The most bytes of one batch, roughly.
        package var maximumBatchBytes = 4 << 20
        /// The most times that the writer looks at a set in a chunk to count the audience of a message: it takes a
        /// millisecond or two. A larger audience is counted in a snapshot, after the message was accepted. The stored
        /// state depends on this number, so only tests change it.
        package var maximumCountingSteps = Self.defaultCountingSteps
        /// The `maximumCountingSteps` of a server.
        static let defaultCountingSteps = 2_048
        /// The most times that the writer looks at a set in a chunk to find a page of a message: it takes some
        /// milliseconds. A longer search waits for a checkpoint, and goes on in a snapshot.
        package var maximumWriterSearchSteps = 8_192
        /// True to keep a write-ahead log; without one each batch is committed before it is answered.
        package var usesLog = true
        package var checkpoints = CheckpointLimits()
        package var bulkIngest = BulkIngestLimits()
        /// The most changes that wait; beyond it submissions are refused with `.overloaded`.
        package var maximumQueueChanges = 40_000
        /// The most bytes that wait, roughly; beyond it submissions are refused with `.overloaded`.
        package var maximumQueueBytes = 64 << 20
        /// The settings that the registry has after it was opened; nil leaves the stored settings.
        package var settings: RegistrySettings? = RegistrySettings()
        /// The exchange with the node whose shared log the registry is made from; nil for a registry with a log of its
        /// own.
        package var exchange: ReplicaExchange?
        /// Called on the writer thread for each entry of the shared log that was applied, before it is answered. Must
        /// not block.
        package var onApplied: @Sendable (AppliedEntry) -> Void = { _ in }
        /// Called on the writer thread for each batch that is answered, with its number of changes and the nanoseconds
        /// that it took.
        package var onBatch: @Sendable (_ changes: Int, _ nanoseconds: UInt64) -> Void = { _, _ in }
        /// Called on any thread with the description of an item that cannot be read and is skipped until the next
        /// start, or with the number of answered changes that could not be stored. The description is safe to show.
        /// Must not block.
        package var onUnreadable: @Sendable (String) -> Void = { _ in }
        /// Called on the thread that opens the registry, or on the writer thread, when something has happened to the
        /// write-ahead log. Must not block.
        package var onWALNotice: @Sendable (WALNotice) -> Void = { _ in }
        /// Called on the writer thread to answer some submissions: it must run `answer`, which calls their completions,
        /// once before it returns.
        package var whileAnswering: @Sendable (_ answer: () -> Void) -> Void = { $0() }

        package init() {}
    }

    /// The limits of the changes that wait for a checkpoint.
    package struct CheckpointLimits: Sendable {
        /// The number of bytes of the log that make a checkpoint due. One batch more may be written before it.
        package var logBytes = 32 << 20
        /// The approximate number of changed pages of the database that make a checkpoint due: 96 MiB. LMDB keeps this
        /// memory for the pages that change next.
        package var changedDatabasePages = 24_576
        /// The most milliseconds that a change waits for a checkpoint, while changes come.
        package var delayMilliseconds: UInt64 = 5_000
        /// The milliseconds without another change after which all changes are committed.
        package var idleCommitMilliseconds: UInt64 = 200

        package init() {}
    }

    /// The limits of bulk ingest, and the sizes of its caches.
    package struct BulkIngestLimits: Sendable {
        /// The minimum number of changes in a batch of bulk ingest.
        package var minimumChanges = 256
        /// The surplus of such batches over smaller ones that begins bulk ingest; at most 8.
        package var minimumSurplus = 3
        /// The milliseconds after bulk ingest for which its caches are kept.
        package var cacheLifetimeMilliseconds: UInt64 = 60_000
        /// The most new rows of the token index that are kept apart, at all times: in a small table of 20 MB whose
        /// pages change together.
        package var recentAddresses = 400_000
        /// The number of buckets of the token index cache, of 64 bytes and four addresses each; a power of two.
        package var tokenIndexBuckets = 1 << 19

        package init() {}
    }
}

/// An event of the write-ahead log, for the log of the server.
package enum WALNotice: Sendable, Equatable, CustomStringConvertible {
    /// The changes that were answered, and that the database lacked, are committed: at a start, or after the open
    /// transaction was aborted.
    case replayed(records: Int, changes: Int, lastLSN: UInt64)
    /// A record was being written when the process ended; its changes were not answered.
    case dropped(lsn: UInt64)
    /// The file was removed, moved or replaced while it was in use. All changes are committed, and the file is made
    /// again.
    case replaced

    package var description: String {
        switch self {
        case .replayed(let records, let changes, let last):
            "\(changes) changes of \(records) records were applied, up to record \(last)"
        case .dropped(let lsn): "record \(lsn) is not whole and was not answered: it was dropped"
        case .replaced: "the file was removed or replaced while it was in use: its changes are committed"
        }
    }
}
