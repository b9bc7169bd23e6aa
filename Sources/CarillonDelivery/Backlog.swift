import CarillonCore
import DequeModule

/// One line of the outbox: what of it is in memory, and whether more is on disk.
struct Backlog {
    /// Messages up to this one are in memory, or done.
    private(set) var cursor: MessageID?
    /// The newest that was accepted, as far as the engine knows.
    private var newest: MessageID?
    /// A message before the cursor that has come back and found no room.
    private var missed: MessageID?
    /// Whether messages after the cursor may be on disk that are not in memory.
    private(set) var isOnDisk: Bool
    private(set) var isReading = false

    /// Messages in memory.
    var messages = 0
    /// Recipients in memory.
    var recipients = 0
    /// Pages being read.
    var reads = 0
    /// Messages that wait to have a page read.
    var wanting: Deque<MessageID> = []

    /// - Parameter isOnDisk: whether the outbox may hold messages of the line.
    init(isOnDisk: Bool) {
        self.isOnDisk = isOnDisk
    }

    /// Whether the line has no use any more.
    var isIdle: Bool { messages == 0 && recipients == 0 && reads == 0 && !isOnDisk && !isReading }

    /// A message has come; true if it may go into memory now, else it waits on disk.
    mutating func came(_ id: MessageID, hasRoom: Bool) -> Bool {
        newest = max(newest ?? id, id)
        let isBehind = cursor.map { id <= $0 } ?? false
        // In order: what comes after others that wait on disk waits with them.
        if hasRoom && (isBehind || !isOnDisk) {
            cursor = max(cursor ?? id, id)
            return true
        }
        if isBehind { missed = min(missed ?? id, id) }
        isOnDisk = true
        rewindIfIdle()
        return false
    }

    /// A reading after the cursor begins.
    mutating func readingBegins() {
        isReading = true
    }

    /// What the outbox holds after the cursor was read up to `last`.
    mutating func read(upTo last: MessageID?, wasLast: Bool) {
        isReading = false
        if let last { cursor = max(cursor ?? last, last) }
        // A message accepted while the outbox was read may not have been seen by that reading.
        let sawAll = newest.map { newest in cursor.map { $0 >= newest } ?? false } ?? true
        isOnDisk = !(wasLast && sawAll)
        rewindIfIdle()
    }

    /// Everything is read again from the beginning: what was let go of may be sent now.
    mutating func rewind() {
        missed = MessageID(rawValue: 0)
        rewindIfIdle()
    }

    private mutating func rewindIfIdle() {
        guard !isReading, let missed else { return }
        cursor = missed.rawValue == 0 ? nil : MessageID(rawValue: missed.rawValue - 1)
        isOnDisk = true
        self.missed = nil
    }
}
