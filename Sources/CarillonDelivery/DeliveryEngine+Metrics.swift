package import CarillonCore

/// What is counted of the engine besides its load.
extension DeliveryEngine {
    /// The app of a message in memory; a record of outcomes belongs to one that is.
    package func app(of message: MessageID) -> AppID? {
        runs[message]?.message.content.app
    }

    /// What the engine holds in memory, for people who watch it.
    package struct Overview: Hashable, Sendable {
        /// One lane.
        package struct Lane: Hashable, Sendable {
            /// Messages.
            package var messages = 0
            /// Recipients that wait for a connection, or for their page to be read again.
            package var waiting = 0
            /// Recipients that wait for the time of their next attempt.
            package var delayed = 0
            /// Recipients that APNs has not answered.
            package var inFlight = 0

            /// Makes the load of a lane.
            package init(messages: Int = 0, waiting: Int = 0, delayed: Int = 0, inFlight: Int = 0) {
                self.messages = messages
                self.waiting = waiting
                self.delayed = delayed
                self.inFlight = inFlight
            }
        }

        /// One message.
        package struct Running: Hashable, Sendable {
            /// Which one.
            package var id: MessageID
            /// Its line.
            package var queue: OutboxQueue
            /// When it was accepted, or released.
            package var acceptedAt: Timestamp
            /// Recipients that APNs has not answered.
            package var inFlight: Int
            /// Devices that ended in the last second, about.
            package var rate: UInt32
        }

        /// By lane.
        package var lanes: [CarillonCore.Lane: Lane] = [:]
        /// Those that move fastest first, then the oldest.
        package var running: [Running] = []
        /// Deliveries a second at most, of the pools that are slowed down.
        package var throttles: [PoolKey: Int] = [:]
    }

    /// What is in memory now by lane, pool and message; of the messages at most `limit`. Looks at every page in memory.
    package func overview(limit: Int, at now: Moment) -> Overview {
        var overview = Overview()
        for lane in Lane.allCases { overview.lanes[lane] = Overview.Lane() }
        var inFlight: [MessageID: Int] = [:]
        for (key, page) in pages {
            guard let lane = runs[key.message]?.queue.lane else { continue }
            overview.lanes[lane]?.waiting += page.unfinished - page.delayed - page.inFlight
            overview.lanes[lane]?.delayed += page.delayed
            overview.lanes[lane]?.inFlight += page.inFlight
            inFlight[key.message, default: 0] += page.inFlight
        }
        var running: [Overview.Running] = []
        for (id, run) in runs {
            overview.lanes[run.queue.lane]?.messages += 1
            running.append(
                Overview.Running(
                    id: id, queue: run.queue, acceptedAt: run.acceptedAt, inFlight: inFlight[id] ?? 0,
                    rate: run.meter.rate(at: now.uptimeMilliseconds)))
        }
        running.sort { ($1.rate, $0.id) < ($0.rate, $1.id) }
        overview.running = Array(running.prefix(limit))
        overview.throttles = throttles.compactMapValues(\.rate)
        return overview
    }
}
