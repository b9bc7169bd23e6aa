import CarillonCore
import CarillonSession
import NIOCore

/// The long reads of one connection: one is read at a time, the others wait for its answer. The queue counts the memory
/// that they hold.
struct LongReadQueue {
    /// A long read that waits.
    struct Entry {
        var longRead: LongRead
        var context: RequestContext
        /// The most bytes of memory that the request takes.
        var bytes: Int
    }

    private var waiting = CircularBuffer<Entry>()
    /// The long read that is running.
    private var current: (id: UInt64, bytes: Int)?
    /// The bytes of the page that is being read; 0 if there is none.
    private var pageBytes = 0
    /// The bytes of the long reads that wait, and of the one that is read, without its page.
    private(set) var requestBytes = 0

    /// The bytes of all long reads, with the page that is being read.
    var bytes: Int { requestBytes + pageBytes }

    /// True if a long read waits and none is read.
    var canBegin: Bool { current == nil && !waiting.isEmpty }

    mutating func append(_ entry: Entry) {
        requestBytes += entry.bytes
        waiting.append(entry)
    }

    /// Begins the next long read, whose page has `pageBytes`; returns nil if no long read waits, or one is running.
    /// `requestAnswered` must follow.
    mutating func begin(pageBytes: Int) -> Entry? {
        guard canBegin, let next = waiting.popFirst() else { return nil }
        current = (next.context.id, next.bytes)
        self.pageBytes = pageBytes
        return next
    }

    /// Ends the long read whose request was answered. Ignored if it is not the one that is running.
    mutating func requestAnswered(_ id: UInt64) {
        guard let current, current.id == id else { return }
        self.current = nil
        requestBytes -= current.bytes
        pageBytes = 0
    }

    /// Replaces the client's rights, by which the reads that wait are judged.
    mutating func principalChanged(to principal: Principal) {
        for index in waiting.indices { waiting[index].context.principal = principal }
    }

    /// Removes the long reads that wait; returns the ids of their requests, in order.
    mutating func removeWaiting() -> [UInt64] {
        requestBytes -= waiting.reduce(0) { $0 + $1.bytes }
        defer { waiting.removeAll() }
        return waiting.map(\.context.id)
    }
}
