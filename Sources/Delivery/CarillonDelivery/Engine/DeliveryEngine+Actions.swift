package import CarillonCore

/// Collects the work that the engine asks of its caller.
extension DeliveryEngine {
    /// The work that the caller must do after a call.
    package struct Actions: Sendable {
        /// A read of one page; give the result to `pageRead`.
        package struct PageRead: Hashable, Sendable {
            package var message: MessageID
            package var page: UInt32
            /// True to read the first page at or after `page` that has a pending recipient; false to read `page`
            /// itself.
            package var isNext: Bool
            /// The sequence number of the read (`ChangedDevices`); it comes back with the page.
            package var sequence: UInt64
        }

        /// A read of unfinished messages; give the result to `messagesRead`.
        package struct MessagesRead: Hashable, Sendable {
            package var queue: OutboxQueue
            /// The message after which the read begins; nil for the beginning of the queue.
            package var after: MessageID?
            /// The most messages to read.
            package var limit: Int
        }

        /// True if the names of the outbox's queues must be read; give them to `queuesRead`.
        package private(set) var readsQueues = false
        package private(set) var messageReads: [MessagesRead] = []
        package private(set) var pageReads: [PageRead] = []
        /// The outcomes to write; call `recordWritten` or `recordLost` when the write has ended.
        package private(set) var records: [OutcomeRecord] = []
        /// The messages to finish on disk: their audience has ended, and all outcomes are on disk.
        package private(set) var finishedMessages: [MessageID] = []
        /// The blocks in which every recipient has an outcome on disk.
        package private(set) var endedBlocks: [(message: MessageID, pages: PageBlock)] = []
        /// True if this node of a cluster may need more pages of messages that it shares.
        package private(set) var needsPages = false
        /// The pools that have work now.
        package private(set) var poolsToWake: Set<PoolKey> = []
        /// The pools whose connections must end: the provider refuses their credential altogether.
        package private(set) var parkedPools: Set<PoolKey> = []
        package private(set) var alarmReports: [AlarmReport] = []

        mutating func readQueues() { readsQueues = true }

        mutating func readMessages(_ read: MessagesRead) { messageReads.append(read) }

        mutating func readPage(_ read: PageRead) { pageReads.append(read) }

        mutating func write(_ record: OutcomeRecord) { records.append(record) }

        mutating func finish(_ message: MessageID) { finishedMessages.append(message) }

        /// Reports blocks of a message that have ended: this node may need more pages.
        mutating func endBlocks(_ blocks: [PageBlock], of message: MessageID) {
            needsPages = true
            for pages in blocks { endedBlocks.append((message, pages)) }
        }

        mutating func wake(_ pool: PoolKey) { poolsToWake.insert(pool) }

        mutating func wake(_ pools: Set<PoolKey>) { poolsToWake.formUnion(pools) }

        /// Ends the connections of a pool.
        mutating func park(_ pool: PoolKey) { parkedPools.insert(pool) }

        mutating func report(_ alarm: AlarmReport) { alarmReports.append(alarm) }
    }
}
