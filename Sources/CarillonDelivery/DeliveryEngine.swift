package import CarillonCore
import DequeModule
import HeapModule

/// The heart: which delivery goes next, what an answer means for it, when it is tried again.
///
/// It reads nothing and sends nothing. Connections pull deliveries and give back results; what the engine wants done (pages
/// read, outcomes written, pools woken) gathers as effects that the shell takes after each call. Memory is bounded by
/// `Limits`, whatever the audience and the backlog: what does not fit stays in the outbox on disk.
///
/// Its parts: which messages are in memory (`+Messages`), which of their pages (`+Pages`), who is handed out next (`+Pulling`),
/// what answers mean (`+Results`), and what people decide meanwhile (`+MessageUpdate`).
package struct DeliveryEngine: Sendable {
    /// Bounds of the engine's memory.
    package struct Limits: Hashable, Sendable {
        /// Messages in memory, of all lines of the outbox together. No line has more than half of them.
        package var messages = 2_048
        /// Messages that each line may have in memory however many the others have.
        package var messagesPerLine = 32
        /// Recipients in memory, of all messages together; a page being read counts as a full one. No line has more than half of
        /// them; a quarter is kept for the interactive lane.
        package var recipients = 262_144
        /// Pages that each line may have in memory however many the others have.
        package var pagesPerLine = 2
        /// Recipients of one page at most, as the registry makes pages.
        package var recipientsPerPage = RegistryLimits.recipientsPerPage
        /// Pages of one message in memory with somebody ready.
        package var pagesPerMessage = 2
        /// Recipients of a page that a message with a pace has in memory at least, for each environment, if there are so many.
        package var pacedRecipients = 64
        /// Seconds for which a message with a pace has recipients of a page in memory, if those are more.
        package var pacedSeconds = 2
        /// Milliseconds until a page is read again of which some had no place in memory, and the others all wait for a time.
        package var partPause: UInt64 = 1_000
        /// Pages being read at a time; one in four is kept for the interactive lane.
        package var reads = 8
        /// Pages that are out of memory until somebody in them is due; above it no new page is begun.
        package var asleep = 65_536
        /// Milliseconds at least from one reading of a line from its beginning to the next, for messages that have left the memory
        /// because nobody in them is due.
        package var returning: UInt64 = 30_000
        /// Deliveries in flight, or that APNs has taken or may have and that are not on disk yet; above it nothing is pulled,
        /// which bounds the duplicates after a crash. An eighth is kept for the interactive lane.
        package var unrecorded = 16_384
        /// Milliseconds that outcomes of the bulk lane are gathered for at most before they are written.
        package var gathering: UInt64 = 100
        /// Milliseconds after which a pool counts as absent that does not ask for the work there is for it.
        package var absence: UInt64 = 5_000
        /// Deliveries of one page in a row before the next page of the lane has its turn.
        package var turn = 128
        /// Changed devices remembered one by one.
        package var changes = 65_536
        /// Times a delivery may come back unprocessed at no charge.
        package var replays: UInt8 = 100

        /// Makes the defaults.
        package init() {}
    }

    /// What the shell does after a call.
    package struct Effects: Sendable {
        /// One page to read; give it to `pageRead`.
        package struct Read: Hashable, Sendable {
            /// The message.
            package var message: MessageID
            /// The page.
            package var page: UInt32
            /// Whether the first page at or after `page` with somebody pending is meant, or just that one, again.
            package var isNext: Bool
            /// Goes back with the page.
            package var ticket: UInt64
        }

        /// Unfinished messages to read; give them to `messagesRead`.
        package struct MessagesRead: Hashable, Sendable {
            /// Of which line.
            package var queue: OutboxQueue
            /// After this one.
            package var after: MessageID?
            /// At most so many.
            package var limit: Int
        }

        /// Read which lines the outbox has and give them to `queuesRead`.
        package var readsQueues = false
        /// Messages to read.
        package var messages: [MessagesRead] = []
        /// Pages to read.
        package var reads: [Read] = []
        /// Outcomes to write; say `recorded` when they are on disk.
        package var records: [OutcomeRecord] = []
        /// Messages whose audience has ended and whose outcomes are all on disk: to be finished there.
        package var finished: [MessageID] = []
        /// Pools that have work now.
        package var wake: Set<PoolKey> = []
        /// What people must know.
        package var alarms: [Alarm] = []
    }

    /// What people must know.
    package enum Alarm: Hashable, Sendable {
        /// APNs calls too many tokens of an app bad in an environment: devices are not quarantined for it until that is over.
        case badTokens(AppID, Environment, isOver: Bool)
    }

    /// What the engine holds in memory.
    package struct Load: Hashable, Sendable {
        /// Messages.
        package var messages: Int
        /// Recipients of the pages in memory; a page being read is not yet among them.
        package var recipients: Int
        /// Pages in line, counted once for each pool that they wait for.
        package var pagesInLine: Int
        /// Pages out of memory until somebody in them is due.
        package var asleep: Int
        /// Times at which pages are to be looked at; some may be of pages that have left.
        package var wakes: Int
        /// Deliveries handed to connections.
        package var inFlight: Int
        /// Deliveries that APNs has taken, or may have, and that are not on disk yet.
        package var unrecorded: Int
        /// Changed devices remembered one by one.
        package var changes: Int
    }

    /// A line of pages in front of a pool.
    struct LineKey: Hashable {
        var lane: Lane
        var pool: PoolKey
    }

    /// When to look at a page again.
    struct Wake: Comparable {
        var at: UInt64
        var key: PageKey

        static func < (left: Wake, right: Wake) -> Bool {
            (left.at, left.key) < (right.at, right.key)
        }
    }

    /// Of which tokens a breaker counts.
    struct BreakerKey: Hashable {
        var app: AppID
        var environment: Environment
    }

    let limits: Limits
    let policy: RetryPolicy
    var routes: Routes
    var random: SplitMix
    var effects = Effects()

    // Messages.
    var runs: [MessageID: MessageRun] = [:]
    var backlogs: [OutboxQueue: Backlog] = [:]
    /// Lines that may have messages on disk, and lines that have pages to read, each in turn.
    var backlogged: Set<OutboxQueue> = []
    var wanting: [Lane: Deque<OutboxQueue>] = [:]
    var knowsQueues = false
    var isReadingQueues = false

    /// Places kept for messages that are being read, of all lines.
    var messagesAsked = 0

    // Pages.
    var pages: [PageKey: PageRun] = [:]
    /// Pages with outcomes to be written at once.
    var dirty: Set<PageKey> = []
    /// Pages whose outcomes wait for more, and until when in uptime.
    var gathering: Set<PageKey> = []
    var gatheredUntil: UInt64?
    var wakes = Heap<Wake>()
    /// From how many wakes on those are looked for that are of no use any more.
    var wakesKept = leastWakes
    var reads: [Lane: Int] = [:]
    var recipientsInMemory = 0
    var asleep = 0
    var devices: ChangedDevices

    static let leastWakes = 1_024

    // Deliveries.
    var lines: [LineKey: Deque<PageKey>] = [:]
    var unrecorded = 0
    /// Of those: in records that are being written.
    var beingWritten = 0
    /// Deliveries handed to connections.
    package internal(set) var inFlight = 0
    var isStopped = false
    /// Pools whose credential was refused.
    var parked: Set<PoolKey> = []
    /// Pools that cannot be reached, as they say themselves.
    var unreachable: Set<PoolKey> = []
    /// When pools have asked for work last, or had none, in uptime.
    var askedAt: [PoolKey: UInt64] = [:]
    /// Pools that do not ask although there is work: they have no connection, or none with a free stream.
    var absent: Set<PoolKey> = []
    /// Of pools that APNs has told it was busy.
    var throttles: [PoolKey: PoolThrottle] = [:]
    /// How much of the bulk lane pools may have on their way.
    var windows: [PoolKey: BulkWindow] = [:]
    /// When pools ask again that a throttle or a window has refused, in uptime.
    var poolWakes: [PoolKey: UInt64] = [:]
    var breakers: [BreakerKey: TokenBreaker] = [:]
    /// Devices that a silent push is on its way to, or just was and the disk does not know yet.
    var silent: Set<ChangedDevices.Key> = []
    /// Messages in memory that are silent pushes.
    var silentRuns = 0

    /// Both clocks as they stood when the engine first looked.
    var clock: Moment?

    /// Makes an engine that begins with what the outbox holds.
    ///
    /// - Parameter seed: of the jitter; the same seed and the same calls give the same answers.
    package init(routes: Routes, limits: Limits = Limits(), policy: RetryPolicy = RetryPolicy(), seed: UInt64) {
        self.routes = routes
        self.limits = limits
        self.policy = policy
        devices = ChangedDevices(limit: limits.changes)
        random = SplitMix(state: seed)
    }

    /// Takes what the shell has to do, and forgets it.
    package mutating func takeEffects() -> Effects {
        flushRecords()
        readMessagesIfRoom()
        readPagesIfRoom()
        defer { effects = Effects() }
        return effects
    }

    /// Uptime in milliseconds at which `timerFired` is to be called.
    package var deadline: UInt64? {
        var first = wakes.min?.at
        for at in poolWakes.values { first = min(first ?? at, at) }
        if let gatheredUntil { first = min(first ?? gatheredUntil, gatheredUntil) }
        for backlog in backlogs.values { if let at = backlog.returnAt { first = min(first ?? at, at) } }
        return first
    }

    /// What is in memory now, for metrics and tests.
    package var load: Load {
        Load(
            messages: runs.count,
            recipients: recipientsInMemory,
            pagesInLine: lines.values.reduce(0) { $0 + $1.count },
            asleep: asleep,
            wakes: wakes.count,
            inFlight: inFlight,
            unrecorded: unrecorded,
            changes: devices.count
        )
    }
}
