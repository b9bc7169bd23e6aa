/// The times at which one connection may read. Reading stops for a time, or until the other connections of the loop
/// have had their turn. A time slice bounds the work of one turn.
struct ReadingTurn {
    /// True while reading waits: for memory, for a position of the cluster's log, or for its turn.
    private(set) var isStopped = false
    /// True while the work of a turn is done.
    private(set) var isUnderWay = false
    /// The time at which the time slice ends, in nanoseconds of uptime.
    private(set) var timeSliceEndNanoseconds: UInt64 = 0

    /// Stops the reading; returns false if it was stopped already. `resume` or `begin` must follow.
    mutating func stop() -> Bool {
        guard !isStopped else { return false }
        isStopped = true
        return true
    }

    /// Ends the stop, without a turn.
    mutating func resume() { isStopped = false }

    /// Ends the stop and begins a turn.
    mutating func begin() { (isStopped, isUnderWay) = (false, true) }

    mutating func end() { isUnderWay = false }

    mutating func beginTimeSlice(atNanoseconds now: UInt64) {
        timeSliceEndNanoseconds = now + LoopTurns.timeSliceNanoseconds
    }

    func isTimeSliceOver(atNanoseconds now: UInt64) -> Bool { now >= timeSliceEndNanoseconds }
}
