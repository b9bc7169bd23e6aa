import CarillonCore
import DequeModule

/// One line of the outbox: what of it is in memory, and whether more is on disk.
struct Backlog {
    /// Messages up to this one are in memory, or done.
    private(set) var cursor: MessageID?
    /// The first message that a reading may pass over: it came while that went on, or came back and found no room.
    private var missed: MessageID?
    /// Whether messages after the cursor may be on disk that are not in memory.
    private(set) var isOnDisk: Bool
    private(set) var isReading = false
    /// Places kept for the messages that are being read.
    private(set) var asked = 0
    /// What people have decided of messages since the reading began that goes on.
    private(set) var held: [MessageID: Held] = [:]

    /// Messages in memory.
    var messages = 0
    /// Recipients in memory.
    var recipients = 0
    /// Pages being read.
    var reads = 0
    /// Messages that wait to have their first page read.
    private(set) var newcomers: Deque<MessageID> = []
    /// Messages that wait to have a page read which is not their first, or that have only ends to be written.
    private(set) var wanting: Deque<MessageID> = []
    /// Whose turn is next, if both wait.
    private var isTurnOfNewcomers = true
    /// Whether the line stands among those that have pages to read.
    var isInTurn = false

    /// A decision about a message that a reading of the outbox may bring as it was before.
    enum Held: Hashable {
        /// Not taken: it was paused, or is told of in another way.
        case passedOver
        case cancelled
        case paced(UInt32?)
    }

    /// - Parameter isOnDisk: whether the outbox may hold messages of the line.
    init(isOnDisk: Bool) {
        self.isOnDisk = isOnDisk
    }

    /// Whether the line has no use any more.
    var isIdle: Bool { messages == 0 && recipients == 0 && reads == 0 && !isOnDisk && !isReading && !isInTurn }

    /// A message has come; true if it may go into memory now, else it waits on disk.
    mutating func came(_ id: MessageID, hasRoom: Bool) -> Bool {
        // Whatever that reading brings of it is older.
        if isReading { held[id] = .passedOver }
        let isBehind = cursor.map { id <= $0 } ?? false
        // In order: what comes after others that wait on disk waits with them.
        if hasRoom && (isBehind || !isOnDisk) {
            cursor = max(cursor ?? id, id)
            return true
        }
        // The reading that goes on may have begun before, and end after it.
        if isBehind || isReading { missed = min(missed ?? id, id) }
        isOnDisk = true
        rewindIfIdle()
        return false
    }

    // MARK: Pages

    /// Whether no message waits to have a page read.
    var wantsNothing: Bool { newcomers.isEmpty && wanting.isEmpty }

    /// A message waits to have a page read.
    ///
    /// The first pages of messages and the others have their turns alternately: who sends to a few does not wait until each of
    /// a thousand fan-outs has had a page of thousands.
    mutating func wants(_ id: MessageID, isNewcomer: Bool) {
        if isNewcomer { newcomers.append(id) } else { wanting.append(id) }
    }

    /// Takes the message whose page is read next, among those that may.
    mutating func takeWanting(_ mayRead: (MessageID) -> Bool) -> MessageID? {
        defer { isTurnOfNewcomers.toggle() }
        let new = newcomers.firstIndex(where: mayRead)
        if let new, isTurnOfNewcomers { return newcomers.remove(at: new) }
        if let old = wanting.firstIndex(where: mayRead) { return wanting.remove(at: old) }
        return new.map { newcomers.remove(at: $0) }
    }

    /// A message waits no more.
    mutating func wantsNoMore(_ id: MessageID) {
        newcomers.removeAll { $0 == id }
        wanting.removeAll { $0 == id }
    }

    // MARK: Messages

    /// A reading of at most `limit` messages after the cursor begins.
    mutating func readingBegins(limit: Int) {
        isReading = true
        asked = limit
    }

    /// Remembers a decision if the reading that goes on may bring the message without it.
    mutating func hold(_ id: MessageID, _ decision: Held) {
        guard isReading else { return }
        // A pace changes nothing of what was decided before.
        if case .paced = decision, held[id] == .passedOver || held[id] == .cancelled { return }
        held[id] = decision
    }

    /// What the outbox holds after the cursor was read up to `last`.
    mutating func read(upTo last: MessageID?, wasLast: Bool) {
        isReading = false
        asked = 0
        held.removeAll()
        if let last { cursor = max(cursor ?? last, last) }
        isOnDisk = !wasLast
        rewindIfIdle()
    }

    /// Everything is read again from the beginning: what was let go of may be sent now.
    mutating func rewind() {
        missed = MessageID(rawValue: 0)
        rewindIfIdle()
    }

    private mutating func rewindIfIdle() {
        guard !isReading, let missed else { return }
        if let known = cursor, known >= missed {
            cursor = missed.rawValue == 0 ? nil : MessageID(rawValue: missed.rawValue - 1)
        }
        isOnDisk = true
        self.missed = nil
    }
}
