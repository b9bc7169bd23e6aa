/// Says when a thread with long reads pauses, so that its core takes other work.
///
/// A thread that yields (see `bulk.niceness`) gives way to threads that wake on its core. But a thread that wakes on a
/// busy core stays there: the system moves it only when another core is idle, or after some milliseconds. So on a
/// machine with few cores, a thread that always reads makes event loops wait for each other.
struct ReaderPause {
    /// The nanoseconds of reading after which a thread pauses.
    static let readingNanoseconds: UInt64 = 1_000_000
    /// The nanoseconds of a pause: longer than the system takes to move a thread.
    static let pauseNanoseconds: UInt64 = 250_000

    private var nanosecondsSincePause: UInt64 = 0
    private var lastEndNanoseconds: UInt64 = 0

    /// Counts a read that has ended, and returns true if the thread must pause now.
    ///
    /// - Parameters:
    ///   - begin: when the read began, in nanoseconds of uptime.
    ///   - end: when it ended, in nanoseconds of uptime.
    ///   - othersWait: true if the thread would read on at once. If it would not, it needs no pause: it waits for the
    ///     next request anyway.
    mutating func countRead(
        fromNanoseconds begin: UInt64, toNanoseconds end: UInt64, othersWait: Bool
    ) -> Bool {
        if begin >= lastEndNanoseconds.addingReportingOverflow(Self.pauseNanoseconds).partialValue {
            nanosecondsSincePause = 0
        }
        nanosecondsSincePause += end >= begin ? end - begin : 0
        lastEndNanoseconds = end
        guard othersWait, nanosecondsSincePause >= Self.readingNanoseconds else { return false }
        nanosecondsSincePause = 0
        return true
    }
}
