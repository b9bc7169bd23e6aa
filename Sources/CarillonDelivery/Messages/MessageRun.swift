import CarillonCore
import DequeModule

/// A message in memory: how far its audience has been worked through.
///
/// A run is copied for each call that works on one of its pages, so the message itself is behind one reference.
struct MessageRun {
    let message: OutboundMessage
    private var pace: UInt32?
    private var isCancelled: Bool
    /// Uptime at which the message came into memory.
    let startedAt: UInt64
    /// No attempt starts after it; nil if there is no such time.
    let notAfter: Timestamp?
    /// Bounds the deliveries a second; nil if the message has no pace.
    var pacer: TokenBucket?
    /// True if the message was paused: it leaves the memory, and recipients without an outcome stay pending on disk.
    var isLeaving = false
    /// The entry under which the message comes back once it has left; nil if it was not resumed before that.
    var returning: OutboxEntry?

    /// The rate at which its devices end.
    var meter = RateMeter()
    /// Attempts that were recorded for TRACE; at most `Limits.recordedAttempts`.
    var recordedAttempts = 0

    /// The first page that may be next.
    private(set) var nextPage: UInt32
    /// True if no page follows those that were read.
    private(set) var hasEnded = false
    private(set) var isReadingNext = false
    /// True if it is in its queue for a page.
    var isWaitingForPage = false
    /// True if a recipient was left pending on disk: the message is not finished when this run is.
    var isIncomplete = false

    /// True if none of its pages has been read, and it is not known that its recipients only need an outcome.
    var needsFirstPage: Bool

    /// Pages with work or writing left: in memory, being read again, or asleep.
    private(set) var open: Set<UInt32> = []
    /// Pages before this one have ended.
    private(set) var floor: UInt32
    /// Open pages that hold back the next page.
    private(set) var busy: Set<UInt32> = []
    /// Open pages that are being read again.
    var rereading: Set<UInt32> = []
    /// Open pages that are out of memory until a recipient of theirs is due.
    private(set) var asleep: Set<UInt32> = []
    /// Uptime at which the first recipient of those pages is due, or before.
    private(set) var asleepUntil: UInt64?
    /// Pages of `asleep` with a recipient that is due; they wait to be read.
    var duePages: Deque<UInt32> = []

    init(_ entry: OutboxEntry, notAfter: Timestamp?, at now: Moment) {
        message = OutboundMessage(entry)
        isCancelled = entry.isCancelled
        needsFirstPage = !entry.isCancelled
        startedAt = now.uptimeMilliseconds
        self.notAfter = notAfter
        nextPage = entry.floor
        floor = entry.floor
        setPace(entry.pace, at: now)
    }

    // MARK: The message

    /// Bounds the deliveries a second; nil removes the bound.
    mutating func setPace(_ pace: UInt32?, at now: Moment) {
        self.pace = pace
        // Deliveries of a tenth of a second at once keep the pace smooth.
        pacer = pace.map { TokenBucket(capacity: max(1, $0 / 10), perSecond: $0, now: now.uptimeMilliseconds) }
    }

    /// How many recipients of a page may be ready in memory, for each environment; nil if the message has no pace.
    func pacedRecipients(_ limits: DeliveryEngine.Limits) -> Int? {
        pace.map { max(limits.pacedRecipients, Int($0) * limits.pacedSeconds) }
    }

    /// Makes `cancelled` the outcome of every recipient that is left.
    mutating func cancel() {
        isCancelled = true
    }

    /// The entry of the outbox, with the present pace and cancellation.
    var entry: OutboxEntry {
        var entry = message.entry
        entry.pace = pace
        entry.isCancelled = isCancelled
        return entry
    }

    var app: AppID { message.content.app }

    /// True if the audience is read page by page while it is sent to.
    var isLive: Bool { message.entry.isLive }

    /// When it was accepted; if it was scheduled, when it was released.
    var acceptedAt: Timestamp { message.entry.acceptedAt }

    /// True for a silent push, of which each device has a budget.
    var isSilent: Bool { message.content.pushType == .background }

    /// The queue of the outbox that it belongs to.
    var queue: OutboxQueue { message.entry.queue }

    /// The outcome of every recipient that is left, if the message was cancelled or its time has passed; else nil.
    func finalOutcome(at now: Moment) -> Outcome? {
        if isCancelled { return .cancelled }
        if let notAfter, now.wall > notAfter { return .expired }
        return nil
    }

    /// The outcome of a recipient that is not in its page any more.
    var outcomeOfMissing: Outcome { isLive ? .left : .unregistered }

    /// True if APNs must deliver a push of it at once or not at all.
    var isTriedOnce: Bool {
        switch message.content.expiration {
        case .once: true
        case .at: false
        case .unspecified: message.content.pushType == .voip || message.content.pushType == .pushtotalk
        }
    }

    /// The last time at which an attempt is useful: after it APNs itself discards the push.
    var lastAttemptAt: Timestamp {
        var last = notAfter ?? Timestamp(milliseconds: .max)
        if case .at(let seconds) = message.content.expiration {
            let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
            last = min(last, Timestamp(milliseconds: overflow ? .max : milliseconds))
        }
        return last
    }

    // MARK: Its pages

    /// True if no work and no writing is left.
    var isDone: Bool { (hasEnded || isLeaving) && open.isEmpty && !isReadingNext }

    /// True if no work and no writing is left until a recipient is due.
    var isAsleep: Bool {
        hasEnded && !isLeaving && !isReadingNext && duePages.isEmpty && !asleep.isEmpty && asleep.count == open.count
    }

    /// True if there is a page to read.
    var hasPageToRead: Bool { !isLeaving && (!duePages.isEmpty || (!hasEnded && !isReadingNext)) }

    /// True if there is a page to read and the message may have one more in memory.
    func mayReadPage(_ limits: DeliveryEngine.Limits) -> Bool {
        hasPageToRead && busy.count + rereading.count < limits.pagesPerMessage
    }

    /// Begins to read the next page; returns the first number that it may have.
    mutating func beginReadOfNextPage() -> UInt32 {
        isReadingNext = true
        return nextPage
    }

    /// The read of the next page has ended.
    mutating func endReadOfNextPage() {
        isReadingNext = false
    }

    /// Begins to read a page that was asleep and has a recipient that is due; nil if there is none.
    mutating func beginReadOfDuePage() -> UInt32? {
        guard let page = duePages.popFirst() else { return nil }
        asleep.remove(page)
        rereading.insert(page)
        return page
    }

    /// An open page holds back the next one, or does not any more.
    mutating func setBusy(_ page: UInt32, _ isBusy: Bool) {
        if isBusy { busy.insert(page) } else { busy.remove(page) }
    }

    /// A page leaves the memory until a recipient of it is due, at `due` in uptime.
    mutating func fallAsleep(_ page: UInt32, until due: UInt64) {
        asleepUntil = asleep.isEmpty ? due : min(asleepUntil ?? due, due)
        asleep.insert(page)
    }

    /// No page follows.
    mutating func end() {
        hasEnded = true
        if open.isEmpty { raiseFloor(to: nextPage) }
    }

    /// A page was read into memory; `isLast` says that none follows it.
    mutating func open(_ page: UInt32, isLast: Bool) {
        open.insert(page)
        needsFirstPage = false
        if page >= nextPage {
            hasEnded = isLast || page == .max
            nextPage = page == .max ? page : page + 1
        }
        if open.count == 1 { raiseFloor(to: page) }
    }

    /// All work of a page is done and written.
    mutating func close(_ page: UInt32) {
        open.remove(page)
        busy.remove(page)
        asleep.remove(page)
        if page == floor { raiseFloor(to: open.min() ?? nextPage) }
    }

    /// Raises the floor, unless a recipient was left pending: it is at or above the floor, and is found when the
    /// message is read again.
    private mutating func raiseFloor(to page: UInt32) {
        if !isIncomplete { floor = page }
    }
}
