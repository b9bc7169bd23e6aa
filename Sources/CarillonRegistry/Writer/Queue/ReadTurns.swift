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
    private var endedAtNanoseconds: UInt64 = 0

    /// True if it is time for the next turn.
    var isDue: Bool { Clock.uptimeNanoseconds() - endedAtNanoseconds >= Self.intervalNanoseconds }

    /// Begins a turn; returns the nanoseconds of `CLOCK_MONOTONIC` at which it is to end.
    func begin() -> UInt64 { Clock.uptimeNanoseconds() + Self.turnNanoseconds }

    mutating func end() { endedAtNanoseconds = Clock.uptimeNanoseconds() }
}
