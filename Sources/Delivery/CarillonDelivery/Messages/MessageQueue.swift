import CarillonCore
import DequeModule

/// One queue of the outbox: the messages of one lane and one app. It knows which of them are in memory, and whether
/// more are on disk.
struct MessageQueue {
    /// A change to a message that a read of the outbox may miss, so it is made to what the read returns.
    enum ReadCorrection: Hashable {
        /// The message of the read is not used: it was paused, or came to the engine in another way.
        case leaveOut
        case cancel
        case setPace(UInt32?)
    }

    /// All messages up to this one are in memory, or have ended: the next read begins after it.
    private(set) var cursor: MessageID?
    /// The first message that a read may miss, because it came during the read, or came back and found no room.
    private var firstMissed: MessageID?
    /// True if messages after the cursor may be on disk and not in memory.
    private(set) var isOnDisk: Bool
    private(set) var isReading = false
    /// The room in memory that is kept for the messages of the read under way.
    private(set) var requested = 0
    /// The time at which the queue is read again from its beginning, for messages that left the memory to wait; nil if
    /// no message did.
    private(set) var rereadAt: Uptime?
    /// The uptime before which the queue is not read again from its beginning.
    private var earliestReread: Uptime = 0
    /// The corrections of messages that have changed since the read under way began.
    private(set) var corrections: [MessageID: ReadCorrection] = [:]

    /// The number of messages in memory.
    var messageCount = 0
    private var firstPages: Deque<MessageID> = []
    /// The messages that wait for a later page, and those whose recipients only need an outcome.
    private var laterPages: Deque<MessageID> = []
    /// True if a first page is read next, when some messages wait for their first page and others for a later one.
    private var isFirstPageNext = true
    /// True if the queue takes part in the turns for reading a page.
    var takesTurns = false

    /// Makes a queue without messages in memory.
    ///
    /// - Parameter isOnDisk: true if the outbox may have messages of the queue.
    init(isOnDisk: Bool) {
        self.isOnDisk = isOnDisk
    }

    /// True if the queue holds nothing and expects nothing.
    var isIdle: Bool { messageCount == 0 && !isOnDisk && !isReading && !takesTurns && rereadAt == nil }

    /// The place where a message that was accepted waits.
    enum Acceptance {
        case intoMemory
        /// The message waits on disk for a read of the queue.
        case leftOnDisk
    }

    /// Accepts a message that is new or resumed. It goes into memory or waits on disk.
    mutating func accept(_ id: MessageID, hasRoom: Bool) -> Acceptance {
        // The read under way returns an older state of this message.
        if isReading { corrections[id] = .leaveOut }
        let isBeforeCursor = cursor.map { id <= $0 } ?? false
        // This keeps the order: a message that comes after others on disk waits behind them.
        if hasRoom && (isBeforeCursor || !isOnDisk) {
            cursor = max(cursor ?? id, id)
            return .intoMemory
        }
        // The read under way may have begun before the message came, and may end after it.
        if isBeforeCursor || isReading { firstMissed = min(firstMissed ?? id, id) }
        isOnDisk = true
        moveCursorBack()
        return .leftOnDisk
    }

    // MARK: Pages

    /// True if a message waits for a page.
    var hasWaiting: Bool { !firstPages.isEmpty || !laterPages.isEmpty }

    /// Appends a message that waits for a page.
    ///
    /// First pages and later pages are read alternately. So a message to a few devices does not wait until each of a
    /// thousand fan-outs has had a large page.
    mutating func enqueue(_ id: MessageID, isFirstPage: Bool) {
        if isFirstPage { firstPages.append(id) } else { laterPages.append(id) }
    }

    /// Removes and returns the message whose page is read next, among those for which `mayRead` is true.
    mutating func dequeue(where mayRead: (MessageID) -> Bool) -> MessageID? {
        let first = firstPages.firstIndex(where: mayRead)
        let later = first != nil && isFirstPageNext ? nil : laterPages.firstIndex(where: mayRead)
        guard first != nil || later != nil else { return nil }
        isFirstPageNext.toggle()
        if let later { return laterPages.remove(at: later) }
        return first.map { firstPages.remove(at: $0) }
    }

    /// Removes a message from the messages that wait for a page.
    mutating func removeWaiting(_ id: MessageID) {
        firstPages.removeAll { $0 == id }
        laterPages.removeAll { $0 == id }
    }

    // MARK: Reading the outbox

    /// Begins a read of at most `limit` messages after the cursor.
    mutating func beginRead(limit: Int) {
        isReading = true
        requested = limit
    }

    /// Corrects the message if the read under way returns it as it was before the change.
    mutating func correctRead(of id: MessageID, by correction: ReadCorrection) {
        guard isReading else { return }
        // A pace does not matter to a message that is left out or cancelled.
        if case .setPace = correction, corrections[id] == .leaveOut || corrections[id] == .cancel { return }
        corrections[id] = correction
    }

    /// Ends the read of the outbox after the cursor, which has come to `last`.
    mutating func endRead(upTo last: MessageID?, isEnd: Bool) {
        isReading = false
        requested = 0
        corrections.removeAll()
        if let last { cursor = max(cursor ?? last, last) }
        isOnDisk = !isEnd
        moveCursorBack()
    }

    /// Schedules a read of the queue from its beginning at `due`, or as soon after it as rereads are allowed.
    mutating func scheduleReread(at due: Uptime) {
        let at = max(due, earliestReread)
        rereadAt = min(rereadAt ?? at, at)
    }

    /// Returns true once the time of `scheduleReread` has come. The next one then comes at least
    /// `intervalMilliseconds` later.
    mutating func takeReread(at now: Uptime, intervalMilliseconds interval: UInt64) -> Bool {
        guard let at = rereadAt, at <= now else { return false }
        rereadAt = nil
        earliestReread = now + interval
        return true
    }

    /// Moves the cursor back to the beginning: recipients that were kept on disk may be sent to now.
    mutating func rewind() {
        firstMissed = MessageID(rawValue: 0)
        moveCursorBack()
    }

    private mutating func moveCursorBack() {
        guard !isReading, let firstMissed else { return }
        if let known = cursor, known >= firstMissed {
            cursor = firstMissed.rawValue == 0 ? nil : MessageID(rawValue: firstMissed.rawValue - 1)
        }
        isOnDisk = true
        self.firstMissed = nil
    }
}
