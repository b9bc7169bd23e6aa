/// The rests of a thread with long reads, in which its core takes other work.
///
/// A thread that yields (see `bulk.niceness`) gives way to threads that wake on its core. But a thread that wakes on a
/// busy core stays there: the system moves it only when another core is idle, or after some milliseconds. So on a
/// machine with few cores, a thread that always reads makes event loops wait for each other.
struct ReaderRest {
    /// The nanoseconds of reading after which a thread rests.
    static let readingNanoseconds: UInt64 = 1_000_000
    /// The nanoseconds of a rest: longer than the system takes to move a thread.
    static let restNanoseconds: UInt64 = 250_000

    private var sinceRest: UInt64 = 0
    private var lastEnd: UInt64 = 0

    /// Counts a read that has ended, and returns true if the thread must rest now.
    ///
    /// - Parameters:
    ///   - begin: when the read began, in nanoseconds of uptime.
    ///   - end: when it ended.
    ///   - othersWait: true if the thread would read on at once. If it would not, it needs no rest: it waits for the
    ///     next request anyway.
    mutating func mustRest(afterReadingFrom begin: UInt64, to end: UInt64, othersWait: Bool) -> Bool {
        if begin >= lastEnd.addingReportingOverflow(Self.restNanoseconds).partialValue { sinceRest = 0 }
        sinceRest += end >= begin ? end - begin : 0
        lastEnd = end
        guard othersWait, sinceRest >= Self.readingNanoseconds else { return false }
        sinceRest = 0
        return true
    }
}
