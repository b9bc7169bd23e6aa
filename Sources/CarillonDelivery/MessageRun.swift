import CarillonCore
import DequeModule

/// A message in memory: where its audience stands.
///
/// It is copied whenever it is looked at: what it says is behind one reference.
struct MessageRun {
    let message: OutboundMessage
    private var pace: UInt32?
    private var isCancelled: Bool
    /// Uptime at which its turn came.
    let startedAt: UInt64
    /// After it no attempt starts.
    let notAfter: Timestamp?
    /// How many a second, if there is a bound.
    var pacer: TokenBucket?
    /// Whether it leaves the memory, with everybody who has no outcome left pending on disk: it was paused.
    var isLeaving = false
    /// How it comes back, if it was resumed before it had left.
    var returning: OutboxEntry?

    /// How fast it is sent.
    var meter = RateMeter()

    /// Where the next page is looked for.
    private(set) var nextPage: UInt32
    /// Whether no page follows.
    private(set) var hasEnded = false
    var isReadingNext = false
    /// Whether it waits for its turn to read a page.
    var isWanting = false
    /// Whether somebody was let go of without an outcome: the message is not finished when this run is.
    var isIncomplete = false

    /// Whether none of its pages has been read yet, and there may be somebody to be sent to.
    var isNewcomer: Bool

    /// Pages of which something is left to do or to write: in memory, being read again, or asleep.
    private(set) var open: Set<UInt32> = []
    /// Pages before this one have ended.
    private(set) var floor: UInt32
    /// Of the open ones: those that hold back the next page.
    var busy: Set<UInt32> = []
    /// Of the open ones: those being read again.
    var rereading: Set<UInt32> = []
    /// Of the open ones: not in memory until somebody in them is due.
    var asleep: Set<UInt32> = []
    /// When the first somebody of those is due, or before, in uptime.
    private(set) var asleepUntil: UInt64?
    /// Of those: somebody is due, and they wait to be read.
    var due: Deque<UInt32> = []

    init(_ entry: OutboxEntry, notAfter: Timestamp?, at now: Moment) {
        message = OutboundMessage(entry)
        isCancelled = entry.isCancelled
        isNewcomer = !entry.isCancelled
        startedAt = now.uptimeMilliseconds
        self.notAfter = notAfter
        nextPage = entry.floor
        floor = entry.floor
        setPace(entry.pace, at: now)
    }

    /// Bounds the deliveries a second, or frees them.
    mutating func setPace(_ pace: UInt32?, at now: Moment) {
        self.pace = pace
        // A tenth of a second's worth at once keeps a pace smooth.
        pacer = pace.map { TokenBucket(capacity: max(1, $0 / 10), perSecond: $0, now: now.uptimeMilliseconds) }
    }

    /// How many of a page, for each environment, are in memory at a time; nil if there is no bound.
    func part(_ limits: DeliveryEngine.Limits) -> Int? {
        pace.map { max(limits.pacedRecipients, Int($0) * limits.pacedSeconds) }
    }

    /// Everybody who is left ends as cancelled.
    mutating func cancel() {
        isCancelled = true
    }

    /// As the outbox has it; pace and cancellation as they are now.
    var entry: OutboxEntry {
        var entry = message.entry
        entry.pace = pace
        entry.isCancelled = isCancelled
        return entry
    }

    /// Whether the audience is taken page by page while it is sent.
    var isLive: Bool { message.entry.isLive }

    /// When it was accepted; if it was scheduled, when it was released.
    var acceptedAt: Timestamp { message.entry.acceptedAt }

    /// How changes of a device name it.
    func changeKey(_ device: DeviceID) -> ChangedDevices.Key {
        ChangedDevices.Key(app: message.content.app, device: device)
    }

    /// Whether it is a silent push: devices have a budget of them.
    var isSilent: Bool { message.content.pushType == .background }

    /// The line of the outbox that it belongs to.
    var queue: OutboxQueue { message.entry.queue }

    /// How everybody ends who is left, if they do.
    func verdict(at now: Moment) -> Outcome? {
        if isCancelled { return .cancelled }
        if let notAfter, now.wall > notAfter { return .expired }
        return nil
    }

    /// Whether nothing is left to do or to write.
    var isDone: Bool { (hasEnded || isLeaving) && open.isEmpty && !isReadingNext }

    /// Whether nothing can be done or written until somebody is due.
    var isAsleep: Bool {
        hasEnded && !isLeaving && !isReadingNext && due.isEmpty && !asleep.isEmpty && asleep.count == open.count
    }

    /// A page leaves the memory until somebody in it is due.
    mutating func fallsAsleep(_ page: UInt32, until due: UInt64) {
        asleepUntil = asleep.isEmpty ? due : min(asleepUntil ?? due, due)
        asleep.insert(page)
    }

    /// Whether there is a page to read.
    var hasPageToRead: Bool { !isLeaving && (!due.isEmpty || (!hasEnded && !isReadingNext)) }

    /// No page follows.
    mutating func end() {
        hasEnded = true
        if open.isEmpty { raiseFloor(to: nextPage) }
    }

    /// A page was read into memory, or is to be; `isLast` says that none follows it.
    mutating func opened(_ page: UInt32, isLast: Bool) {
        open.insert(page)
        isNewcomer = false
        if page >= nextPage {
            hasEnded = isLast || page == .max
            nextPage = page == .max ? page : page + 1
        }
        if open.count == 1 { raiseFloor(to: page) }
    }

    /// Everything of a page is done and written.
    mutating func closed(_ page: UInt32) {
        open.remove(page)
        busy.remove(page)
        asleep.remove(page)
        if page == floor { raiseFloor(to: open.min() ?? nextPage) }
    }

    /// Whoever was let go of is at or above the floor: it stays, so that they are found when the message is read again.
    private mutating func raiseFloor(to page: UInt32) {
        if !isIncomplete { floor = page }
    }

    /// How somebody ends who is not among the recipients any more.
    var gone: Outcome { isLive ? .left : .unregistered }

    /// Whether APNs must not try a push of it later than at once.
    var isOnce: Bool {
        switch message.content.expiration {
        case .once: true
        case .at: false
        case .unspecified: message.content.pushType == .voip || message.content.pushType == .pushtotalk
        }
    }

    /// After it no further attempt is of use: APNs itself would throw the push away.
    var lastAttempt: Timestamp {
        var last = notAfter ?? Timestamp(milliseconds: .max)
        if case .at(let seconds) = message.content.expiration {
            let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
            last = min(last, Timestamp(milliseconds: overflow ? .max : milliseconds))
        }
        return last
    }
}
