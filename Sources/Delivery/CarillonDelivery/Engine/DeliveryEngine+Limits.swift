import CarillonCore

/// The bounds of the engine.
extension DeliveryEngine {
    /// The bounds of the engine's memory.
    package struct Limits: Hashable, Sendable {
        /// The most messages in memory, of all queues together. No queue has more than half of them.
        package var messages = 2_048
        /// The messages that each queue may have in memory even when the other queues have filled the rest.
        package var reservedMessagesPerQueue = 32
        /// The most recipients in memory, of all messages together; a page being read counts as a full one. No queue
        /// has more than half of them; a quarter is kept for the interactive lane.
        package var recipients = 262_144
        /// The pages that each queue may have in memory even when the other queues have filled the rest.
        package var reservedPagesPerQueue = 2
        /// The most recipients of one page, as the registry makes pages.
        package var recipientsPerPage = RegistryLimits.recipientsPerPage
        /// The most pages of one message in memory that have a recipient which is ready.
        package var pagesPerMessage = 2
        /// The least number of recipients of a page that a message with a pace has in memory, for each destination. A
        /// page may have fewer.
        package var minimumPacedRecipients = 64
        /// The seconds for which a message with a pace has recipients in memory, if they are more than
        /// `minimumPacedRecipients`.
        package var pacedSeconds = 2
        /// The milliseconds until a page that is partly out of memory is read again, while all its recipients in memory
        /// wait for a time.
        package var partialPageMilliseconds: UInt64 = 1_000
        /// The most pages that are being read at a time; a quarter is kept for the interactive lane.
        package var concurrentReads = 8
        /// The most pages that are out of memory until one of their recipients is due. Above this number no new page is
        /// begun.
        package var suspendedPages = 65_536
        /// The least milliseconds between two reads of a queue from its beginning. Such a read finds messages that left
        /// the memory because none of their recipients was due.
        package var minimumRereadMilliseconds: UInt64 = 30_000
        /// The most deliveries that are in flight, or that the provider has accepted (or may have) and that are not on
        /// disk. Above this number nothing is pulled, which bounds the duplicates after a crash. An eighth is kept for
        /// the interactive lane.
        package var unrecorded = 16_384
        /// The most milliseconds that outcomes of the bulk lane are buffered before they are written.
        package var bufferMilliseconds: UInt64 = 100
        /// The number of deliveries with buffered outcomes at which these are written at once. A value below a quarter
        /// of `unrecorded` has no effect; `OutcomeBuffer` writes earlier while much is in flight.
        package var flushThreshold = 4_096
        /// The milliseconds after which a pool that does not ask for waiting work counts as stalled.
        package var stallMilliseconds: UInt64 = 5_000
        /// The number of deliveries of one page that are handed out in a row before the next page of the lane is
        /// served.
        package var deliveriesPerTurn = 128
        /// The most changed devices that are remembered one by one.
        package var changedDevices = 65_536
        /// The most times that a delivery comes back unprocessed without an attempt being counted. Each further time
        /// counts as an attempt.
        package var uncountedReturns: UInt8 = 19
        /// The most attempts of one message that are recorded for TRACE, so that an outage of the provider cannot fill
        /// the disk.
        package var recordedAttempts = 10_000

        package init() {}
    }
}
