extension LMDBRegistry {
    /// Sizes and times of a registry.
    package struct Options: Sendable {
        /// Size of the map at opening, in bytes; it grows by doubling.
        package var mapBytes = 1 << 30
        /// The largest map, in bytes: the limit of the data.
        package var maximumMapBytes = 64 << 30
        /// With less free than this on the file system, messages and registrations are refused.
        package var reservedDiskBytes: UInt64 = 256 << 20
        /// Makes a missing directory, but not its parents.
        package var createsDirectory = true
        /// Threads that may read at once, twice.
        package var maxReaders = 126
        /// Changes committed together at most; a submission is never split.
        package var batchChanges = 8_000
        /// Bytes committed together, about, at most.
        package var batchBytes = 4 << 20
        /// What may wait in the journal.
        package var journal = JournalLimits()
        /// Changes waiting at most; beyond it submissions are refused with `.overloaded`.
        package var queueChanges = 40_000
        /// Bytes waiting, about, at most.
        package var queueBytes = 64 << 20
        /// What is kept how long.
        package var retention = Retention()
        /// How many silent pushes a device gets.
        package var silentBudget = SilentBudget()
        /// Events kept at most; beyond it the oldest go.
        package var eventLimit = 1_000_000
        /// Told, on the writer thread, of each batch that is on the disk, by a commit or in the journal: changes in it, and nanoseconds that
        /// it took.
        package var onCommit: @Sendable (_ changes: Int, _ nanoseconds: UInt64) -> Void = { _, _ in }
        /// Told, on any thread, of what cannot be read and is passed over until the next start. Safe to show. Must not block.
        package var onUnreadable: @Sendable (String) -> Void = { _ in }
        /// Runs, on the writer thread, what calls the completions of some jobs of a commit: once, and before it returns.
        package var whileAnswering: @Sendable (_ answer: () -> Void) -> Void = { $0() }
        /// Things that one sweep removes at most.
        package var sweepLimit = 2_000

        /// The defaults given with each property.
        package init() {}
    }

    /// When a flood is one, and how much of it may wait for its commit.
    package struct JournalLimits: Sendable {
        /// Changes in a batch that may begin to use the journal: fewer are committed as cheaply, and with `.max` the journal is
        /// never used.
        package var leastChanges = 256
        /// Changes that one commit waits for at most.
        package var mostChanges = 240_000
        /// Bytes of the journal that one commit waits for at most.
        package var mostBytes = 32 << 20
        /// Changed pages that one commit waits for at most, about: 256 MiB, which LMDB keeps for its next commits.
        package var mostPages = 65_536
        /// Milliseconds that a change waits for its commit at most, while changes come.
        package var longestMilliseconds: UInt64 = 4_000
        /// Milliseconds without another change after which all are committed.
        package var patienceMilliseconds: UInt64 = 5
        /// Milliseconds for which nobody must have read or done anything else.
        package var quietMilliseconds: UInt64 = 1_000
        /// Milliseconds without the journal after somebody had to wait for a commit because of it.
        package var spareMilliseconds: UInt64 = 10_000
        /// Milliseconds after a flood for which its memory is kept for another one.
        package var restMilliseconds: UInt64 = 60_000
        /// Places, of 64 bytes and for four addresses each, of those whose device is known in a flood; a power of two.
        package var bookSets = 1 << 19

        /// The defaults given with each property.
        package init() {}
    }

    /// How many silent pushes (push type background) a device gets in what time.
    package struct SilentBudget: Sendable {
        /// Pushes accepted by APNs; 0 = no bound.
        package var pushes = 3
        /// The time, in milliseconds: one hour.
        package var milliseconds: UInt64 = 3_600_000

        /// The defaults given with each property.
        package init() {}
    }

    /// How long things are kept, in milliseconds.
    package struct Retention: Sendable {
        /// Idempotency keys, from acceptance (Protocol 6.1, `idempotency_window_s`): 24 hours.
        package var idempotencyMilliseconds: UInt64 = 86_400_000
        /// Tombstones, from unregistration (Protocol 7): 30 days.
        package var tombstoneMilliseconds: UInt64 = 30 * 86_400_000
        /// Messages, from their end (Protocol 8.2): 7 days.
        package var messageMilliseconds: UInt64 = 7 * 86_400_000
        /// Quarantined devices, from quarantine; then they end as if they were unregistered: 30 days.
        package var quarantineMilliseconds: UInt64 = 30 * 86_400_000
        /// Events: 7 days.
        package var eventMilliseconds: UInt64 = 7 * 86_400_000
        /// Names of subscribers to events, from their last acknowledgement: 30 days.
        package var subscriberMilliseconds: UInt64 = 30 * 86_400_000

        /// The defaults given with each property.
        package init() {}

        func milliseconds(of kind: ExpiringKind) -> UInt64 {
            switch kind {
            case .tombstone: tombstoneMilliseconds
            case .idempotencyKey: idempotencyMilliseconds
            case .message: messageMilliseconds
            case .quarantined: quarantineMilliseconds
            }
        }
    }
}
