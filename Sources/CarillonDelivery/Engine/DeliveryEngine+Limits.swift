import CarillonCore

/// The bounds of the engine.
extension DeliveryEngine {
    /// Bounds of the engine's memory.
    package struct EngineLimits: Hashable, Sendable {
        /// Messages in memory, of all queues together. No queue has more than half of them.
        package var messages = 2_048
        /// Messages that each queue may have in memory however many the others have.
        package var messagesPerQueue = 32
        /// Recipients in memory, of all messages together; a page being read counts as a full one. No queue has more
        /// than half of them; a quarter is kept for the interactive lane.
        package var recipients = 262_144
        /// Pages that each queue may have in memory however many the others have.
        package var pagesPerQueue = 2
        /// The most recipients of one page, as the registry makes pages.
        package var recipientsPerPage = RegistryLimits.recipientsPerPage
        /// Pages of one message in memory with a recipient that is ready.
        package var pagesPerMessage = 2
        /// The least number of recipients of a page that a message with a pace has in memory, for each destination. A
        /// page may have fewer.
        package var minimumPacedRecipients = 64
        /// A message with a pace has recipients for that many seconds in memory, if that is more.
        package var pacedSeconds = 2
        /// Milliseconds until a page that is partly out of memory is read again, while all its recipients in memory
        /// wait for a time.
        package var partialPageMilliseconds: UInt64 = 1_000
        /// Pages being read at a time; a quarter is kept for the interactive lane.
        package var concurrentReads = 8
        /// Pages that are out of memory until one of their recipients is due. Above this number no new page is begun.
        package var suspendedPages = 65_536
        /// The least milliseconds between two reads of a queue from its beginning. Such a read finds messages that left
        /// the memory because none of their recipients was due.
        package var minimumRereadMilliseconds: UInt64 = 30_000
        /// The most deliveries that are in flight, or that the provider has accepted (or may have) and that are not on
        /// disk. Above this number nothing is pulled, which bounds the duplicates after a crash. An eighth is kept for
        /// the interactive lane.
        package var unrecorded = 16_384
        /// The most milliseconds that outcomes of the bulk lane are gathered for before they are written.
        package var gatheringMilliseconds: UInt64 = 100
        /// How many deliveries may have gathered outcomes, if what is in flight leaves room for as many. A quarter of
        /// `unrecorded` may always: a smaller value has no effect.
        package var maximumGathered = 4_096
        /// Milliseconds after which a pool that does not ask for waiting work counts as absent.
        package var absenceMilliseconds: UInt64 = 5_000
        /// How many deliveries of one page are handed out in a row before the next page of the lane is served.
        package var deliveriesPerTurn = 128
        /// Changed devices that are remembered one by one.
        package var changedDevices = 65_536
        /// The number of times that a delivery may come back unprocessed without counting as an attempt.
        package var unprocessedReturns: UInt8 = 20
        /// Attempts of one message that are recorded for TRACE, so that an outage of the provider cannot fill the disk.
        package var recordedAttempts = 10_000

        package init() {}
    }
}
