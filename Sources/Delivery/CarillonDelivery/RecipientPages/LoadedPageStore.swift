import CarillonCore

/// The pages in memory, the memory that they use, and the devices that have changed since they were read.
///
/// A page is here while a recipient in it can be sent to, is in flight, or has an outcome that is not on disk. A call
/// that works on a page checks it out and checks it in again (`DeliveryEngine.withPage`), so that the page is changed
/// in place and never copied.
struct LoadedPageStore: Sendable {
    /// The memory that one queue of the outbox uses.
    private struct Use {
        var recipients = 0
        /// The number of pages that are being read.
        var reads = 0
    }

    private let limits: DeliveryEngine.Limits
    private var pages: [PageKey: LoadedPage] = [:]
    private var memoryUse: [OutboxQueue: Use] = [:]
    /// The number of pages that are being read, by lane.
    private var reads: [Lane: Int] = [:]
    private(set) var recipientCount = 0
    /// The number of pages that are out of memory until one of their recipients is due.
    private(set) var suspendedCount = 0
    private var changedDevices: ChangedDevices

    init(limits: DeliveryEngine.Limits) {
        self.limits = limits
        changedDevices = ChangedDevices(limit: limits.changedDevices)
    }

    // MARK: Pages

    /// The keys of all pages, ascending.
    var keys: [PageKey] { pages.keys.sorted() }

    var all: [PageKey: LoadedPage] { pages }

    var count: Int { pages.count }

    /// Returns true if a page is in memory, not checked out, and in the queue of a destination.
    func isQueued(_ key: PageKey, for destination: PushDestination) -> Bool {
        pages[key]?.isQueued[destination] == true
    }

    /// True if no page is in memory and none is being read.
    var isEmpty: Bool { pages.isEmpty && readCount == 0 }

    /// Removes and returns a page to work on it; nil if the page is not in memory.
    mutating func checkOut(_ key: PageKey, properties: LoadedMessage.Properties, at now: Moment) -> CheckedOutPage? {
        guard let loaded = pages.removeValue(forKey: key) else { return nil }
        // There is only one reference. A second one, however short, would copy the page's arrays at the first change.
        return CheckedOutPage(key, loaded: loaded, properties: properties, at: now)
    }

    /// Puts a page back after work on it, or adds a new one.
    mutating func checkIn(_ page: consuming CheckedOutPage) { pages[page.key] = page.loaded }

    /// Returns the outcomes of a page to write, as a record; nil if the page has none, or is not in memory.
    mutating func takeRecord(of key: PageKey, firstPendingPage: UInt32) -> OutcomeRecord? {
        pages[key]?.takeRecord(key, firstPendingPage: firstPendingPage)
    }

    // MARK: Memory

    /// Counts recipients that came into memory, or left it if the number is negative.
    mutating func countRecipients(_ change: Int, of queue: OutboxQueue) {
        guard change != 0 else { return }
        recipientCount += change
        memoryUse[queue, default: Use()].recipients += change
        forgetIfUnused(queue)
    }

    /// Counts a read of a page that begins; returns its sequence number (`ChangedDevices`).
    mutating func beginRead(of queue: OutboxQueue) -> UInt64 {
        reads[queue.lane, default: 0] += 1
        memoryUse[queue, default: Use()].reads += 1
        return changedDevices.beginRead()
    }

    mutating func endRead(of queue: OutboxQueue) {
        reads[queue.lane, default: 0] -= 1
        memoryUse[queue]?.reads -= 1
        forgetIfUnused(queue)
    }

    /// Returns true if a queue of the outbox has recipients in memory or pages being read.
    func isUsed(by queue: OutboxQueue) -> Bool { memoryUse[queue] != nil }

    private mutating func forgetIfUnused(_ queue: OutboxQueue) {
        if let used = memoryUse[queue], used.recipients == 0, used.reads == 0 { memoryUse[queue] = nil }
    }

    private var readCount: Int { reads.values.reduce(0, +) }

    /// Returns true if a lane may begin one more read.
    func hasRoomForRead(of lane: Lane) -> Bool {
        // Re-reads of bulk pages ignore the bound, so the reserve of the interactive lane is counted by itself.
        switch lane {
        case .interactive:
            readCount < limits.concurrentReads || reads[lane, default: 0] < max(1, limits.concurrentReads / 4)
        case .bulk: readCount < limits.concurrentReads - limits.concurrentReads / 4
        }
    }

    /// Returns true if a queue may have one more page: no queue keeps the others out, and the bulk lane does not fill
    /// the memory.
    func hasRoomForPage(of queue: OutboxQueue) -> Bool {
        let page = limits.recipientsPerPage
        let used = memoryUse[queue] ?? Use()
        let own = used.recipients + (used.reads + 1) * page
        if own <= limits.reservedPagesPerQueue * page { return true }
        let room = queue.lane == .interactive ? limits.recipients : limits.recipients - limits.recipients / 4
        return recipientCount + (readCount + 1) * page <= room && own <= limits.recipients / 2
    }

    /// Counts a page that leaves the memory until one of its recipients is due.
    mutating func pageSuspended() { suspendedCount += 1 }

    /// Counts suspended pages that are read again, or whose message leaves the memory.
    mutating func pagesResumed(_ count: Int = 1) { suspendedCount -= count }

    // MARK: Changed devices

    /// The number of changed devices that are remembered one by one.
    var changedCount: Int { changedDevices.count }

    /// Records that a device has changed. A page that is read from now on shows the change.
    mutating func deviceChanged(_ device: AppDevice) { changedDevices.insert(device) }

    mutating func allDevicesChanged() { changedDevices.insertAll() }

    /// Returns true if a device has changed since the read with that sequence number.
    func hasChanged(_ device: @autoclosure () -> AppDevice, since read: UInt64) -> Bool {
        changedDevices.hasChanged(device(), since: read)
    }

    /// Forgets the changes of devices when no page that was read before them is in memory.
    mutating func forgetChangesIfEmpty() {
        if isEmpty { changedDevices.removeAll() }
    }
}
