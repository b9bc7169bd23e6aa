import CarillonClock

/// The turns of the short reads that wait, in which the writer runs them. Reads take turns with changes by time, not by
/// their number.
struct ReadTurns {
    /// The nanoseconds of applying between two turns of reads. With shorter intervals, answers would be sent in smaller
    /// pieces.
    private static let intervalNanoseconds: UInt64 = 1_000_000
    /// The nanoseconds of a turn. The read that runs at its end is finished; then changes go on.
    private static let turnNanoseconds: UInt64 = 2_000_000

    /// The nanoseconds of `CLOCK_MONOTONIC` at which the present turn is to end.
    private var dueEndNanoseconds: UInt64 = 0
    /// The nanoseconds of `CLOCK_MONOTONIC` at which the last turn ended.
    private var endedAtNanoseconds: UInt64 = 0

    /// True if it is time for the next turn.
    var isDue: Bool { Clock.uptimeNanoseconds() - endedAtNanoseconds >= Self.intervalNanoseconds }

    mutating func begin() { dueEndNanoseconds = Clock.uptimeNanoseconds() + Self.turnNanoseconds }

    /// True if the time of the present turn is over: the reads that still wait get the next turn.
    var isTurnOver: Bool { Clock.uptimeNanoseconds() >= dueEndNanoseconds }

    mutating func end() { endedAtNanoseconds = Clock.uptimeNanoseconds() }
}
