package import CarillonCore

/// Decides which delivery goes next, what the answer of a provider means for it, and when it is tried again.
///
/// One push, from the message to its outcome:
///
/// ```swift
/// engine.messageAccepted(message, at: now)
/// let read = engine.takeActions().pageReads[0]      // asks for the first page of the message
/// engine.pageRead(page, for: read, at: now)
/// var deliveries: [Delivery] = []
/// engine.pull(for: pool, PullLimits(100), at: now, into: &deliveries)     // appends 100 at most
/// let results = deliveries.map { AttemptResult($0.attempt, verdict: .delivered, status: 200) }
/// engine.attemptsEnded(results, for: pool, at: now)
/// let records = engine.takeActions().records        // the outcomes to write; of the bulk lane up to 100 ms later
/// for record in records { engine.recordWritten(record, at: now) }
/// ```
///
/// The engine reads nothing and sends nothing. Connections pull deliveries and give back results. The engine collects
/// its needs as actions: pages to read, outcomes to write, pools to wake. The caller takes the actions after each call.
/// `Limits` bounds the memory, whatever the audience and the backlog: messages and pages that do not fit stay in
/// the outbox on disk.
///
/// Nine parts own the state and its rules. The extensions take the events, and call functions of the parts:
///
/// - `LoadedMessageStore`: messages in memory, by queue of the outbox, and which of them reads a page next
/// - `LoadedPageStore`: pages in memory, and which devices have changed since they were read
/// - `PoolQueues`: which pages wait for a pool
/// - `PageTimers`: when a page is looked at again
/// - `PoolStates`: which pools take deliveries and how many, and whether an answer about a token is believed
/// - `DuplicateBound`: how many deliveries a crash would repeat, and how many more may be handed out
/// - `OutcomeBuffer`: which outcomes are written next, and when
/// - `SilentPushes`: which devices have a silent push that has not ended, or is not on disk
/// - `RetryTimes`: when a recipient is tried again, and the clock in which that time is stored
///
/// The recipients of a page change while the page is checked out (`CheckedOutPage`). What that means for the other
/// parts is applied when the page is checked in (`+Pages`); what a hand-out means for pools and paces is applied at
/// once (`+Pulling`).
///
/// The table has the extensions, first those that a message meets, in that order. Its last column has the parts that an
/// extension changes by itself. Most extensions also change the recipients of a page: then `+Pages` and `+Writing`
/// change the other parts that depend on the page. All but `+Overview` may add to the actions, whose type is in
/// `+Actions`.
///
/// | Extension | Takes | Changes |
/// |---|---|---|
/// | `+Messages` | messages from the outbox, and their ends; cancel, pause, pace | `messages`, `pages` |
/// | `+Reading` | pages from the registry, and changes of devices | `messages`, `pages`, `retryTimes` |
/// | `+Pages` | the work on a page | `messages`, `pages`, `poolQueues`, `timers`, `duplicateBound`, `retryTimes` |
/// | `+Pulling` | pulls of connections | `messages` (paces), `poolQueues`, `pools`, `duplicateBound`, `silentPushes` |
/// | `+Results` | results of attempts | `pools`, `duplicateBound`, `silentPushes`, `retryTimes` |
/// | `+Writing` | records that are on disk | `messages`, `pages`, `duplicateBound`, `outcomes`, `silentPushes` |
/// | `+Blocks` | pages that several nodes share | `messages` |
/// | `+Credentials`, `+Pools` | refused credentials, outages, other routes | `pools`, `poolQueues` |
/// | `+Time` | the clock | `pools`, `messages`, `timers`, `outcomes` |
/// | `+Overview` | questions | nothing |
package struct DeliveryEngine: Sendable {
    /// A report about an alarm, a condition that an operator must end: it has begun, goes on or is over.
    package enum AlarmReport: Hashable, Sendable {
        /// A destination calls too many tokens of an app bad. Until that is over, no device is quarantined for such an
        /// answer.
        case badTokens(AppID, PushDestination, isOver: Bool)
        /// The provider refuses the credential of a pool, for one app or for all of them (nil). The next trial comes
        /// after `trialMilliseconds`. `isFirst` is false if a trial was refused before.
        case credentialRefused(PoolKey, AppID?, reason: String, trialMilliseconds: UInt64, isFirst: Bool)
        /// The provider accepts a credential again.
        case credentialAccepted(PoolKey, AppID?)
    }

    let limits: Limits
    var messages: LoadedMessageStore
    var pages: LoadedPageStore
    var poolQueues = PoolQueues()
    var timers = PageTimers()
    var pools: PoolStates
    var duplicateBound: DuplicateBound
    var outcomes: OutcomeBuffer
    var silentPushes = SilentPushes()
    var retryTimes: RetryTimes
    /// The work that the caller must do; `takeActions` takes it.
    var actions = Actions()
    private(set) var isStopped = false

    /// Makes an engine that begins with the messages of the outbox.
    ///
    /// - Parameter seed: the seed of the jitter; the same seed and the same calls give the same answers.
    package init(
        routes: Routes, limits: Limits = Limits(), policy: RetryPolicy = RetryPolicy(), seed: UInt64
    ) {
        self.limits = limits
        messages = LoadedMessageStore(limits: limits)
        pages = LoadedPageStore(limits: limits)
        pools = PoolStates(routes: routes, limits: limits, policy: policy)
        duplicateBound = DuplicateBound(maximum: limits.unrecordedDeliveries)
        outcomes = OutcomeBuffer(limits: limits)
        retryTimes = RetryTimes(policy: policy, seed: seed)
    }

    /// Returns the work that the caller must do, and forgets it.
    package mutating func takeActions() -> Actions {
        flushRecords()
        if !isStopped {
            messages.requestReads(&actions)
            readPagesIfRoom()
        }
        defer { actions = Actions() }
        return actions
    }

    /// The time at which `timerFired` must be called; nil if nothing waits for a time.
    package var deadline: Uptime? {
        earliest(
            earliest(timers.next, pools.nextTime), earliest(outcomes.bufferedUntil, messages.rereadAt))
    }

    var policy: RetryPolicy { retryTimes.policy }

    /// Stops the hand-out of deliveries; deliveries in flight still come back.
    package mutating func stop() {
        isStopped = true
        outcomes.flushBuffered()
    }
}

/// Returns the earlier of two times; nil if there is neither.
private func earliest(_ first: Uptime?, _ second: Uptime?) -> Uptime? {
    guard let first, let second else { return first ?? second }
    return min(first, second)
}

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
        /// The number of pages of one message that may be busy (`LoadedMessage`) or being read again. With 2, page 7
        /// is not read while pages 5 and 6 still have recipients to hand out.
        package var pagesPerMessage = 2
        /// The smallest number of recipients of a page that a message with a pace has in memory, for each destination.
        /// A page may have fewer.
        package var minimumPacedRecipients = 64
        /// A message with a pace has recipients for this many seconds in memory, if they are more than
        /// `minimumPacedRecipients`.
        package var pacedSeconds = 2
        /// The most milliseconds until a page with only a part of its recipients in memory is read again, if all of
        /// this part wait for their next attempts. For example, 200 recipients of a page are in memory, and all 200
        /// wait a minute. The page is read again after a second, and the message goes to other recipients of the page.
        package var partialPageMilliseconds: UInt64 = 1_000
        /// The most pages that are being read at a time; a quarter is kept for the interactive lane. Pages in memory
        /// that are read again, because a device has changed, count too, but do not wait.
        package var concurrentReads = 8
        /// The most pages that are out of memory until one of their recipients is due. Above this number no new page is
        /// begun.
        package var suspendedPages = 65_536
        /// The shortest time, in milliseconds, between two scheduled reads of a queue from its beginning. Such a read
        /// finds messages that left the memory because none of their recipients was due, or because their pool took
        /// none.
        package var minimumRereadMilliseconds: UInt64 = 30_000
        /// The most deliveries that a crash would repeat. They are in flight, or the provider may have accepted them
        /// and their outcome is not on disk. Above this number nothing is pulled. An eighth is kept for the interactive
        /// lane.
        package var unrecordedDeliveries = 16_384
        /// The most milliseconds that outcomes of the bulk lane are buffered before they are written.
        package var bufferMilliseconds: UInt64 = 100
        /// The most deliveries with buffered outcomes: at this number the outcomes are written at once. A quarter of
        /// `unrecordedDeliveries` may always be buffered, even if this limit is lower. A higher limit, as on a node of
        /// a cluster, counts only while few deliveries are in flight (`OutcomeBuffer`).
        package var bufferedDeliveries = 4_096
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
