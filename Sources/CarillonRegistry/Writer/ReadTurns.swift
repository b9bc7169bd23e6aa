import CarillonClock

/// The turns of the short reads that wait, in which the writer runs them. Reads take turns with changes by time, not by
/// their number.
struct ReadTurns {
    /// The nanoseconds of applying between two turns of reads. With shorter intervals, answers would be sent in smaller
    /// pieces.
    private static let intervalNanoseconds: UInt64 = 1_000_000
    /// The nanoseconds of a turn. The read that runs at its end is finished; then changes go on.
    private static let turnNanoseconds: UInt64 = 2_000_000

    /// The nanoseconds of `CLOCK_MONOTONIC` at which the last turn ended.
    private var endedAt: UInt64 = 0
    /// True if reads were run in the open transaction.
    private(set) var hasRunReads = false

    /// True if it is time for the next turn.
    var isDue: Bool { Clock.uptimeNanoseconds() - endedAt >= Self.intervalNanoseconds }

    /// Notes that a transaction was opened, in which no read was run.
    mutating func transactionBegan() { hasRunReads = false }

    /// Begins a turn in the open transaction; returns the nanoseconds of `CLOCK_MONOTONIC` at which it is to end.
    mutating func begin() -> UInt64 {
        hasRunReads = true
        return Clock.uptimeNanoseconds() + Self.turnNanoseconds
    }

    /// Ends the turn.
    mutating func end() { endedAt = Clock.uptimeNanoseconds() }
}
