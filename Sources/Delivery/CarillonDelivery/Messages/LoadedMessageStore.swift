import CarillonCore
import DequeModule

/// The messages in memory, and the queues of the outbox that they come from.
///
/// No queue can keep the others out of memory: each has room of its own,
/// `DeliveryEngine.Limits.reservedMessagesPerQueue`, and none has more than half of all room.
struct LoadedMessageStore: Sendable {
    private let limits: DeliveryEngine.Limits
    private var messages: [MessageID: LoadedMessage] = [:]
    private var queues: [OutboxQueue: MessageQueue] = [:]
    /// The queues that may have messages on disk which are not in memory.
    private var unread: Set<OutboxQueue> = []
    /// The queues with messages that wait for a page. They take turns to read one.
    private var turns: [Lane: Deque<OutboxQueue>] = [:]
    private var knowsQueues = false
    private var isReadingQueues = false
    /// The room kept for the messages of all reads under way.
    private var requested = 0
    /// The number of messages in memory that are silent pushes.
    private(set) var silentCount = 0

    init(limits: DeliveryEngine.Limits) {
        self.limits = limits
    }

    var all: [MessageID: LoadedMessage] { messages }

    var count: Int { messages.count }

    /// Reads or changes a message in memory; nil if it is not there. `insert` and `remove` put it there and take it
    /// away.
    subscript(id: MessageID) -> LoadedMessage? {
        get { messages[id] }
        // The message is changed in place. A copy of it would copy its sets as soon as one of them changes.
        _modify { yield &messages[id] }
    }

    /// True if no message is in memory and nothing is expected from the outbox.
    var isIdle: Bool {
        messages.isEmpty && queues.isEmpty && requested == 0 && turns.values.allSatisfy(\.isEmpty)
    }

    // MARK: Reading in place

    /// Reads or changes a message in place; nil if the message is not in memory.
    ///
    /// The getter of the dictionary would copy the message, with a retain and a release for each of its sets.
    private mutating func inPlace<R>(_ id: MessageID, _ body: (inout LoadedMessage) -> R) -> R? {
        guard let index = messages.index(forKey: id) else { return nil }
        return body(&messages.values[index])
    }

    /// Returns the properties of a message; nil if it is not in memory.
    mutating func properties(of id: MessageID) -> LoadedMessage.Properties? { inPlace(id) { $0.properties } }

    /// The fields of its message that a page needs when it is checked in.
    struct PageContext {
        /// True if no page follows those that were read.
        var isMessageRead: Bool
        /// True if the page holds back the next one.
        var isBusy: Bool
        /// True if the page is being read again.
        var isRereading: Bool
    }

    /// Returns the fields of its message that a page needs when it is checked in; nil if the message is not in memory.
    mutating func context(of key: PageKey) -> PageContext? {
        inPlace(key.message) { loaded in
            PageContext(
                isMessageRead: loaded.isRead, isBusy: loaded.busyPages.contains(key.page),
                isRereading: loaded.rereadPages.contains(key.page))
        }
    }

    /// Returns true if a message in memory has no work and no writing left.
    mutating func isDone(_ id: MessageID) -> Bool { inPlace(id) { $0.isDone } ?? false }

    /// Returns true if the pages of a message in memory are shared with other nodes.
    mutating func hasBlocks(_ id: MessageID) -> Bool { inPlace(id) { $0.blockProgress != nil } ?? false }

    /// Returns the first pending page of a message: all pages before it have ended. Returns nil if the message is not
    /// in memory.
    mutating func firstPendingPage(of id: MessageID) -> UInt32? { inPlace(id) { $0.firstPendingPage } }

    // MARK: Pace

    /// Takes one delivery of the pace of a message; returns false if the pace allows none now, or if the message is not
    /// in memory.
    mutating func takePace(of id: MessageID, at now: Uptime) -> Bool {
        inPlace(id) { $0.takePace(at: now) } == true
    }

    /// Returns the milliseconds until the pace of a message allows one more delivery; nil if it allows one now, or if
    /// the message has no pace.
    mutating func paceWaitMilliseconds(of id: MessageID) -> UInt64? {
        inPlace(id) { $0.paceWaitMilliseconds } ?? nil
    }

    // MARK: Messages

    /// Accepts a message that is new or resumed. The outbox is read later for a message that is left on disk.
    mutating func accept(_ outbound: OutboundMessage) -> MessageQueue.Acceptance {
        var queue = queues[outbound.queue] ?? MessageQueue(isOnDisk: !knowsQueues)
        let acceptance = queue.accept(outbound.id, hasRoom: hasRoom(in: queue))
        if queue.isOnDisk { unread.insert(outbound.queue) }
        queues[outbound.queue] = queue
        return acceptance
    }

    mutating func insert(_ loaded: LoadedMessage) {
        messages[loaded.id] = loaded
        if loaded.properties.isSilent { silentCount += 1 }
        queues[loaded.queue, default: MessageQueue(isOnDisk: !knowsQueues)].messageCount += 1
    }

    mutating func remove(_ loaded: LoadedMessage) {
        let id = loaded.id
        messages[id] = nil
        if loaded.properties.isSilent { silentCount -= 1 }
        queues[loaded.queue]?.messageCount -= 1
        if loaded.isWaitingForPage { queues[loaded.queue]?.removeWaiting(id) }
    }

    /// Corrects the result of reads that are under way. A message may have changed after such a read has begun, and the
    /// read may then return it as it was before.
    mutating func correctRead(of id: MessageID, by correction: MessageQueue.ReadCorrection) {
        for (name, queue) in queues where queue.isReading { queues[name]?.correctRead(of: id, by: correction) }
    }

    private func hasRoom(in queue: MessageQueue) -> Bool {
        let own = queue.messageCount + queue.requested
        return own < limits.reservedMessagesPerQueue
            || (messages.count + requested < limits.messages && own < limits.messages / 2)
    }

    /// Returns the number of messages of a queue that may be in memory.
    private func share(of queue: MessageQueue) -> Int {
        let free = limits.messages - messages.count - requested
        return max(limits.reservedMessagesPerQueue, min(limits.messages / 2, queue.messageCount + free))
    }

    /// Returns true if the messages of a queue fill more than a quarter of its share. Then a message that waits for a
    /// time makes room for others.
    ///
    /// It is a quarter, because a queue is read on only when half of its share is free.
    func isCrowded(_ name: OutboxQueue) -> Bool {
        queues[name].map { $0.messageCount > share(of: $0) / 4 } ?? false
    }

    /// Forgets a queue that holds nothing and expects nothing.
    mutating func forgetIfIdle(_ name: OutboxQueue, in pages: LoadedPageStore) {
        guard knowsQueues, let queue = queues[name], queue.isIdle, !pages.isUsed(by: name) else { return }
        queues[name] = nil
        unread.remove(name)
    }

    // MARK: Reading the outbox

    mutating func queuesRead(_ names: Set<OutboxQueue>, pages: LoadedPageStore) {
        isReadingQueues = false
        knowsQueues = true
        for name in names where queues[name] == nil {
            queues[name] = MessageQueue(isOnDisk: true)
            unread.insert(name)
        }
        for name in queues.keys { forgetIfIdle(name, in: pages) }
    }

    /// Called when the queues could not be read; they are asked for again.
    mutating func queuesUnreadable() {
        isReadingQueues = false
    }

    /// Asks for the queues if they are not known, and for messages of the queues with enough room.
    mutating func requestReads(_ actions: inout DeliveryEngine.Actions) {
        if !knowsQueues && !isReadingQueues {
            isReadingQueues = true
            actions.readQueues()
        }
        for name in unread.sorted() {
            guard let queue = queues[name], queue.isOnDisk, !queue.isReading else { continue }
            let share = share(of: queue)
            // A queue is read again only when half of its share is free, not for each message that leaves.
            guard queue.messageCount <= share / 2 else { continue }
            let limit = max(1, share - queue.messageCount)
            requested += limit
            queues[name]?.beginRead(limit: limit)
            actions.readMessages(.init(queue: name, after: queue.cursor, limit: limit))
        }
    }

    /// Ends the read of a queue that has found messages. Returns those to take into memory, corrected by the changes
    /// that came during the read.
    mutating func readEnded(
        of name: OutboxQueue, found: [OutboundMessage], upTo last: MessageID?, isEnd: Bool
    ) -> [OutboundMessage] {
        guard let queue = queues[name], queue.isReading else { return [] }
        requested -= queue.requested
        queues[name]?.endRead(upTo: last ?? found.last?.id, isEnd: isEnd)
        if queues[name]?.isOnDisk == false { unread.remove(name) }
        return found.compactMap { outbound in
            var outbound = outbound
            switch queue.corrections[outbound.id] {
            case .leaveOut: return nil
            case .cancel: outbound.isCancelled = true
            case .setPace(let pace): outbound.pace = pace
            case nil: break
            }
            return outbound
        }
    }

    /// The time at which a queue is next to be read again from its beginning; nil if there is none.
    var rereadAt: Uptime? { queues.values.lazy.compactMap(\.rereadAt).min() }

    /// Schedules a read of a queue from its beginning at `due`, or soon after it.
    mutating func scheduleReread(of name: OutboxQueue, at due: Uptime) {
        queues[name]?.scheduleReread(at: due)
    }

    /// Starts the re-reads whose time has come.
    mutating func rereadDue(at now: Uptime) {
        for name in queues.keys.sorted()
        where queues[name]?.takeReread(at: now, intervalMilliseconds: limits.minimumRereadMilliseconds) == true {
            queues[name]?.rewind()
            unread.insert(name)
        }
    }

    /// Moves every queue back to its beginning, and asks for the names of the queues again.
    mutating func rereadAll() {
        for name in queues.keys.sorted() { queues[name]?.rewind() }
        // Queues without messages in memory are not known any more.
        knowsQueues = false
        unread = Set(queues.keys)
    }

    // MARK: Turns to read a page

    /// Enqueues a message for its next page, if it may have one more in memory and does not wait already.
    mutating func requestPage(of id: MessageID) {
        let limits = limits
        let request = inPlace(id) { loaded -> (queue: OutboxQueue, isFirstPage: Bool)? in
            loaded.beginWaitingForPage(limits) ? (loaded.queue, loaded.needsFirstPage) : nil
        }
        guard let (name, isFirstPage) = request ?? nil else { return }
        queues[name, default: MessageQueue(isOnDisk: !knowsQueues)].enqueue(id, isFirstPage: isFirstPage)
        guard queues[name]?.takesTurns == false else { return }
        queues[name]?.takesTurns = true
        turns[name.lane, default: []].append(name)
    }

    /// Returns the number of queues of a lane that take turns to read a page.
    func turnCount(of lane: Lane) -> Int { turns[lane]?.count ?? 0 }

    /// Removes and returns the queue whose turn it is to read a page; `endTurn` puts it back.
    mutating func beginTurn(of lane: Lane) -> OutboxQueue? {
        turns[lane]?.popFirst()
    }

    /// Puts a queue after the others if it still has messages that wait for a page.
    mutating func endTurn(of name: OutboxQueue, in pages: LoadedPageStore) {
        if queues[name]?.hasWaiting == true {
            turns[name.lane]?.append(name)
        } else {
            queues[name]?.takesTurns = false
            forgetIfIdle(name, in: pages)
        }
    }

    enum NextPage {
        /// The page to read. If it was not suspended, it is the first page at or after that number with a pending
        /// recipient.
        case page(PageKey, wasSuspended: Bool)
        /// The message whose turn it was has no page to read any more.
        case noPage
        /// No message of the queue may read a page now.
        case blocked
        /// No message of the queue waits.
        case noMessage
    }

    /// Dequeues the next message of a queue and returns its page to read.
    ///
    /// - Parameter mayBegin: false if only pages that were suspended may be read.
    mutating func nextPage(of name: OutboxQueue, mayBegin: Bool) -> NextPage {
        guard let id = dequeue(from: name, mayBegin: mayBegin) else {
            return queues[name]?.hasWaiting == true ? .blocked : .noMessage
        }
        guard let (page, wasSuspended) = messages[id]?.takeTurnToRead(limits) else { return .noPage }
        if messages[id]?.isWaitingForPage == true { queues[name]?.enqueue(id, isFirstPage: false) }
        return .page(PageKey(message: id, page: page), wasSuspended: wasSuspended)
    }

    private mutating func dequeue(from name: OutboxQueue, mayBegin: Bool) -> MessageID? {
        // This is one more reference to the messages, which must not leave this function: a change of `messages`
        // meanwhile would copy them.
        let messages = messages
        return queues[name]?.dequeue { mayBegin || messages[$0]?.duePages.isEmpty == false }
    }

    /// Puts a message whose recipients only need an outcome after the messages that have a recipient to send to.
    mutating func yieldFirstPage(of id: MessageID) {
        guard let loaded = messages[id] else { return }
        messages[id]?.yieldFirstPage()
        guard loaded.isWaitingForPage else { return }
        queues[loaded.queue]?.removeWaiting(id)
        queues[loaded.queue]?.enqueue(id, isFirstPage: false)
    }
}
