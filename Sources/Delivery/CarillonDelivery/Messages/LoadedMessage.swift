import CarillonCore
import DequeModule

/// A message in memory: how far its audience has been worked through.
///
/// The pages of a message are read in order, and only a few of them are in memory at a time. All pages before
/// `firstPendingPage` have ended, and from `nextPage` on none was read; with claims, `blockProgress` says what is next.
/// Between them each page that is *open* has work or writing left: it is in memory, is being read again, or is
/// *suspended*, out of memory until one of its recipients is due. An open page is *busy* as long as it has recipients
/// that are to be handed out; the next page is not read while too many are busy.
///
/// For example, pages 0 to 5 were read. Pages 0 and 1 have ended: `firstPendingPage` is 2. In page 2 three recipients
/// wait for their retry in a minute, so it is suspended. In pages 3 and 4 all recipients wait for answers, and page 5
/// is busy. Page 6 may be read.
struct LoadedMessage {
    /// The fields of the message that its deliveries need.
    private(set) var properties: LoadedMessage.Properties
    /// The bucket that bounds the deliveries a second; nil if the message has no pace.
    private var pacer: TokenBucket?
    /// The message as it enters memory again once it has left it; nil if it does not come back.
    private(set) var returning: OutboundMessage.Shared?

    private var meter = RateMeter()

    /// The progress in the blocks that this node holds; nil if it sends all pages.
    private(set) var blockProgress: BlockProgress?
    /// The first page that may be the next one.
    private(set) var nextPage: UInt32
    private var wasLastRead = false
    private(set) var isReadingNext = false
    /// True if the message is in its queue for a page.
    private(set) var isWaitingForPage = false
    /// True if a pending recipient is only on disk. Then the message is not finished when it leaves the memory.
    private(set) var isIncomplete = false

    /// True if no page of the message was read yet, and its recipients may need more than an outcome.
    private(set) var needsFirstPage: Bool

    /// The pages with work or writing left: in memory, being read again, or suspended.
    private(set) var openPages: Set<UInt32> = []
    /// All pages before this one have ended.
    private(set) var firstPendingPage: UInt32
    /// The open pages that hold back the next page.
    private(set) var busyPages: Set<UInt32> = []
    /// The open pages that are being read again.
    private(set) var rereadPages: Set<UInt32> = []
    /// The open pages that are out of memory until one of their recipients is due.
    private(set) var suspendedPages: Set<UInt32> = []
    /// The time at which the first recipient of the suspended pages is due, or an earlier one.
    private(set) var suspendedUntil: Uptime?
    /// The pages of `suspendedPages` with a recipient that is due; they wait to be read.
    private(set) var duePages: Deque<UInt32> = []

    init(_ outbound: OutboundMessage, notAfter: Timestamp?, at now: Moment) {
        properties = LoadedMessage.Properties(outbound, notAfter: notAfter, at: now)
        needsFirstPage = !outbound.isCancelled
        blockProgress = outbound.share.map { BlockProgress($0.blocks ?? []) }
        nextPage = outbound.firstPendingPage
        firstPendingPage = outbound.firstPendingPage
        setPace(outbound.pace, at: now)
    }

    var id: MessageID { properties.outbound.id }

    var queue: OutboxQueue { properties.queue }

    /// Bounds the deliveries a second; nil removes the bound.
    mutating func setPace(_ pace: UInt32?, at now: Moment) {
        properties.setPace(pace)
        // At most the deliveries of a tenth of a second are handed out at once, so that the pace is smooth.
        pacer = pace.map { TokenBucket(capacity: max(1, $0 / 10), perSecond: $0, now: now.uptime) }
        guard var outbound = returning?.value else { return }
        outbound.pace = pace
        returning = OutboundMessage.Shared(outbound)
    }

    var isPaced: Bool { pacer != nil }

    /// Takes one delivery from the pace, if the message has one; returns false if the pace allows none now.
    mutating func takePace(at now: Uptime) -> Bool { pacer?.take(at: now) ?? true }

    /// The milliseconds until the pace allows one more delivery; nil if it allows one now, or if the message has no
    /// pace.
    var paceWaitMilliseconds: UInt64? {
        guard let wait = pacer?.millisecondsUntilNext(), wait > 0 else { return nil }
        return UInt64(wait)
    }

    /// Makes `cancelled` the outcome of every recipient that is left. A message that is leaving the memory comes back
    /// to get these outcomes.
    mutating func cancel() {
        properties.cancel()
        if properties.isUnloading { setReturning(outbound) }
    }

    /// Lets the message leave the memory once its work has ended.
    ///
    /// - Parameter returning: the message as it enters memory again; nil if it does not come back.
    mutating func unload(returning: OutboundMessage?) {
        properties.unload()
        setReturning(returning)
    }

    /// Sets the message as it enters memory again once it has left it; nil if it does not come back.
    mutating func setReturning(_ outbound: OutboundMessage?) {
        returning = outbound.map { OutboundMessage.Shared($0) }
    }

    mutating func countRecordedAttempts(_ count: Int) { properties.countRecordedAttempts(count) }

    /// Counts recipients whose outcomes are on disk.
    mutating func countOutcomes(_ count: Int, at now: Uptime) { meter.count(count, at: now) }

    /// Returns the number of recipients that got their outcome in the last second, approximately.
    func rate(at now: Uptime) -> UInt32 { meter.rate(at: now) }

    /// The message as the outbox has it now: with the present pace, cancellation and blocks.
    var outbound: OutboundMessage {
        var outbound = properties.presentOutbound
        if let blockProgress { outbound.share?.blocks = blockProgress.held }
        return outbound
    }

    // MARK: Pages

    /// True if no page follows those that were read.
    var isRead: Bool { blockProgress?.isRead ?? wasLastRead }

    /// Adds pages that were claimed.
    mutating func add(_ pages: [PageBlock]) { blockProgress?.add(pages) }

    /// Removes and returns the blocks in which every recipient has an outcome on disk.
    mutating func takeEndedBlocks() -> [PageBlock] { blockProgress?.takeEnded() ?? [] }

    /// Called when a pending recipient is only on disk: the message is not finished when it leaves the memory.
    ///
    /// - Parameter page: the page of the recipient; nil if its number is not known.
    mutating func recipientKeptOnDisk(in page: UInt32?) {
        isIncomplete = true
        blockProgress?.recipientKeptOnDisk(in: page)
    }

    /// True if no work and no writing is left.
    var isDone: Bool { (isRead || properties.isUnloading) && openPages.isEmpty && !isReadingNext }

    /// True if no work and no writing is left until a recipient is due.
    var isSuspended: Bool {
        isRead && !properties.isUnloading && !isReadingNext && duePages.isEmpty && !suspendedPages.isEmpty
            && suspendedPages.count == openPages.count
    }

    /// Returns the time at which the message must be read again if it is removed from memory now: a recipient is due
    /// then, or no attempt may start any more. Nil if the message must stay in memory.
    func rereadTimeIfRemoved(at now: Moment) -> Uptime? {
        // A message with a pace, or a message that is only for now, stays: its pace, or its time, would begin anew when
        // it is read again.
        guard isSuspended, !isPaced, !properties.isOnlyForNow, let due = suspendedUntil else { return nil }
        let wait = min(due.milliseconds(since: now.uptime), properties.lastAttemptAt.milliseconds(since: now.wall))
        // At `lastAttemptAt` itself an attempt may still begin. A millisecond later the time of the message is over.
        return now.uptime + wait + 1
    }

    /// True if the registry is asked to finish the message when it leaves the memory: one to a live audience, whose end
    /// only the reads of its pages show. The registry itself finishes a message with a list, with its last outcome, and
    /// a message that several members send, with the last of all blocks.
    var isFinishedOnRemoval: Bool {
        properties.isLive && blockProgress == nil && !isIncomplete && !properties.isUnloading
    }

    var hasPageToRead: Bool { !properties.isUnloading && (!duePages.isEmpty || (!isRead && !isReadingNext)) }

    /// Returns true if there is a page to read and the message may have one more in memory.
    func mayReadPage(_ limits: DeliveryEngine.Limits) -> Bool {
        hasPageToRead && busyPages.count + rereadPages.count < limits.pagesPerMessage
    }

    /// Lets the message wait for its turn to read a page; returns false if it waits already, or may not read one.
    mutating func beginWaitingForPage(_ limits: DeliveryEngine.Limits) -> Bool {
        guard !isWaitingForPage, mayReadPage(limits) else { return false }
        isWaitingForPage = true
        return true
    }

    /// Begins the read of a page in the turn of the message, which then waits for another turn if it may read one more
    /// page. Suspended pages with a recipient that is due come first.
    ///
    /// - Returns: the page, or the first number that it may have, and whether it was suspended; nil if there is no page
    ///   to read any more.
    mutating func takeTurnToRead(_ limits: DeliveryEngine.Limits) -> (page: UInt32, wasSuspended: Bool)? {
        isWaitingForPage = false
        guard hasPageToRead else { return nil }
        let due = beginReadOfDuePage()
        let page = due ?? beginReadOfNextPage()
        isWaitingForPage = mayReadPage(limits)
        return (page, due != nil)
    }

    /// Lets other messages read their first page before this one: the recipients of its first page need no more than an
    /// outcome.
    mutating func yieldFirstPage() { needsFirstPage = false }

    private mutating func beginReadOfNextPage() -> UInt32 {
        isReadingNext = true
        return blockProgress?.beginRead() ?? nextPage
    }

    /// Ends the read of the next page, so that another one may begin.
    mutating func endReadOfNextPage() {
        isReadingNext = false
    }

    /// Begins to read a page that was suspended and has a recipient that is due; nil if there is no such page.
    private mutating func beginReadOfDuePage() -> UInt32? {
        guard let page = duePages.popFirst() else { return nil }
        suspendedPages.remove(page)
        rereadPages.insert(page)
        return page
    }

    /// Begins to read an open page again; returns false if it is being read already.
    mutating func beginRereading(_ page: UInt32) -> Bool { rereadPages.insert(page).inserted }

    mutating func endRereading(_ page: UInt32) { rereadPages.remove(page) }

    /// Requests the read of a suspended page with a recipient that is due; returns false if the page is not suspended.
    mutating func requestDuePage(_ page: UInt32) -> Bool {
        guard suspendedPages.contains(page) else { return false }
        if !duePages.contains(page) { duePages.append(page) }
        return true
    }

    /// Sets whether an open page holds back the next one.
    mutating func setBusy(_ page: UInt32, to isBusy: Bool) {
        if isBusy { busyPages.insert(page) } else { busyPages.remove(page) }
    }

    /// Suspends a page: it leaves the memory until a recipient of it is due, at `due` in uptime.
    mutating func suspend(_ page: UInt32, until due: Uptime) {
        suspendedUntil = suspendedPages.isEmpty ? due : min(suspendedUntil ?? due, due)
        suspendedPages.insert(page)
    }

    /// Ends the audience, because a read from `first` on has found that no page follows.
    mutating func end(from first: UInt32) {
        if blockProgress != nil {
            _ = blockProgress?.endRead(found: nil, from: first)
        } else {
            wasLastRead = true
            if openPages.isEmpty { advanceFirstPendingPage(to: nextPage) }
        }
    }

    /// Opens a page that a read from `first` on has found, and that comes into memory; `isLast` is true if none follows
    /// it.
    ///
    /// - Returns: false if the page is not this node's to send: it does not come into memory.
    mutating func open(_ page: UInt32, from first: UInt32, isLast: Bool) -> Bool {
        if blockProgress != nil {
            guard blockProgress?.endRead(found: page, from: first) == true else { return false }
            if isLast { blockProgress?.foundLast(page) }
            openPages.insert(page)
            needsFirstPage = false
            return true
        }
        openPages.insert(page)
        needsFirstPage = false
        if page >= nextPage {
            wasLastRead = isLast || page == .max
            nextPage = page == .max ? page : page + 1
        }
        if openPages.count == 1 { advanceFirstPendingPage(to: page) }
        return true
    }

    /// Closes a page. All work on it is done and written.
    mutating func close(_ page: UInt32) {
        if openPages.remove(page) != nil { blockProgress?.close(page) }
        busyPages.remove(page)
        if suspendedPages.remove(page) != nil { duePages.removeAll { $0 == page } }
        if page == firstPendingPage { advanceFirstPendingPage(to: openPages.min() ?? nextPage) }
    }

    /// Advances the first pending page, unless a recipient was kept on disk: it must not pass that recipient, so that
    /// the recipient is found when the message is read again. This node knows nothing of the pages that other members
    /// send.
    private mutating func advanceFirstPendingPage(to page: UInt32) {
        if !isIncomplete, blockProgress == nil { firstPendingPage = page }
    }
}
