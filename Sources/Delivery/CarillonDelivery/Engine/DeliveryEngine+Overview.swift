package import CarillonCore

/// The contents of the memory, for metrics, statistics and tests.
extension DeliveryEngine {
    /// The contents of the engine's memory.
    package struct Load: Hashable, Sendable {
        package var messages: Int
        /// The number of recipients of the pages in memory, without pages that are being read.
        package var recipients: Int
        /// The number of pages in the queues of pools, counted once for each pool.
        package var queuedPages: Int
        /// The number of suspended pages: they are out of memory until one of their recipients is due.
        package var suspended: Int
        /// The number of timers of pages; some may be of pages that have ended.
        package var timers: Int
        /// The number of deliveries that are in the hands of connections.
        package var inFlight: Int
        /// The number of deliveries that the provider has accepted, or may have, and that are not on disk.
        package var unrecorded: Int
        /// The number of changed devices that are remembered one by one.
        package var changes: Int
    }

    /// The contents of the engine's memory by lane, pool and message.
    package struct Overview: Hashable, Sendable {
        package struct LaneLoad: Hashable, Sendable {
            package var messages = 0
            /// The number of recipients that wait for a connection, or for their page to be read again.
            package var waiting = 0
            /// The number of recipients that wait for the time of their next attempt.
            package var delayed = 0
            /// The number of recipients that the provider has not answered.
            package var inFlight = 0

            package init(messages: Int = 0, waiting: Int = 0, delayed: Int = 0, inFlight: Int = 0) {
                self.messages = messages
                self.waiting = waiting
                self.delayed = delayed
                self.inFlight = inFlight
            }
        }

        /// A message in memory, and how fast it moves.
        package struct RunningMessage: Hashable, Sendable {
            package var id: MessageID
            package var queue: OutboxQueue
            /// The time since which the message can be sent: its acceptance, or its release.
            package var sendableSince: Timestamp
            /// The number of recipients that the provider has not answered.
            package var inFlight: Int
            /// The number of devices that ended in the last second, roughly.
            package var rate: UInt32
        }

        package var lanes: [Lane: LaneLoad] = [:]
        /// The messages in memory: the ones with the highest rate first, and the oldest first at the same rate.
        package var running: [RunningMessage] = []
        /// The most deliveries a second, of each pool that is throttled.
        package var throttles: [PoolKey: Int] = [:]
    }

    package var inFlight: Int { duplicateBound.inFlight }

    package var load: Load {
        Load(
            messages: messages.count,
            recipients: pages.recipientCount,
            queuedPages: poolQueues.count,
            suspended: pages.suspendedCount,
            timers: timers.count,
            inFlight: duplicateBound.inFlight,
            unrecorded: duplicateBound.unrecorded,
            changes: pages.changedCount
        )
    }

    /// Returns the app of a message in memory; nil if the message is not in memory. The message of a record in
    /// `Actions` is always in memory.
    package func app(of message: MessageID) -> AppID? {
        messages[message]?.properties.app
    }

    /// Returns the contents of the memory by lane, pool and message, with at most `limit` messages. It looks at every
    /// page in memory.
    package func overview(limit: Int, at now: Moment) -> Overview {
        var overview = Overview()
        for lane in Lane.allCases { overview.lanes[lane] = Overview.LaneLoad() }
        var inFlight: [MessageID: Int] = [:]
        for (key, page) in pages.all {
            guard let lane = messages[key.message]?.queue.lane else { continue }
            overview.lanes[lane]?.waiting += page.unfinishedCount - page.delayedCount - page.inFlightCount
            overview.lanes[lane]?.delayed += page.delayedCount
            overview.lanes[lane]?.inFlight += page.inFlightCount
            inFlight[key.message, default: 0] += page.inFlightCount
        }
        var running: [Overview.RunningMessage] = []
        for (id, loaded) in messages.all {
            overview.lanes[loaded.queue.lane]?.messages += 1
            running.append(
                Overview.RunningMessage(
                    id: id, queue: loaded.queue, sendableSince: loaded.properties.outbound.value.sendableSince,
                    inFlight: inFlight[id] ?? 0,
                    rate: loaded.rate(at: now.uptime)))
        }
        running.sort { ($1.rate, $0.id) < ($0.rate, $1.id) }
        overview.running = Array(running.prefix(limit))
        overview.throttles = pools.throttleRates
        return overview
    }
}
