package import CarillonCore

/// Decides whether one more connection can send more, by the processor time of the event loops.
///
/// A connection whose streams are all in use asks for another. Usually its answers take long to arrive, and another
/// connection sends more. But if the event loops are busy all the time, another connection takes its pushes from the
/// others: the rate stays, and each push costs more, because its connection is in no cache of the processor.
///
/// The kernel counts for how long a thread has run and has waited for a processor. One more connection is of no use if
/// every loop did nothing else in an interval, or if the loops waited for processors for longer than they ran: then the
/// machine has no processor left for them.
package struct ConnectionGrowthRule: Sendable {
    /// The time that a thread has run and has waited for a processor, in nanoseconds, since it began.
    package struct ProcessorTime: Hashable, Sendable {
        package var running: UInt64
        /// The time in which the thread could run, and no processor was free.
        package var waiting: UInt64

        package init(running: UInt64, waiting: UInt64) {
            self.running = running
            self.waiting = waiting
        }
    }

    /// The length of an interval. A longer one may contain the time before the work came.
    package static let intervalMilliseconds: ClosedRange<UInt64> = 100...1_000
    /// The lowest share of an interval, in percent, at which a loop has no time left.
    private static let busyPercent: UInt64 = 90
    /// The highest share of an interval, in percent, at which a loop has much time left, even if it waits for
    /// processors.
    private static let idlePercent: UInt64 = 25

    /// The number of intervals in a row in which the loops must not be the limit: a single one may be between two
    /// blocks of work.
    private static let permittingIntervals = 3

    /// The number of intervals in a row, up to the last, in which the loops were not the limit.
    private var permitted = 0
    /// True if more intervals decide: the last one permits a connection, or could not be judged.
    package private(set) var isUndecided = false
    /// The times at the beginning of the interval; nil if no interval has begun.
    private var start: (at: Uptime, times: [ProcessorTime])?

    package init() {}

    /// Called when a connection was opened: a measurement from before it no longer counts.
    package mutating func connectionOpened() {
        start = nil
        permitted = 0
        isUndecided = false
    }

    /// Samples the times of the loops, if an interval ends or none has begun. Returns true if the loops were not the
    /// limit in three intervals in a row, and then begins to count again. An interval begins with a call, and ends with
    /// the first call after its length. Call it whenever all streams of a connection are in use.
    ///
    /// - Parameter times: returns the times of the loops, always in the same order; empty if the kernel does not count
    ///   them, which permits connections.
    package mutating func sampleAndDecide(at now: Uptime, times: () -> [ProcessorTime]) -> Bool {
        let length = start.map { now.milliseconds(since: $0.at) }
        if let length, length < Self.intervalMilliseconds.lowerBound { return false }
        let current = times()
        let earlier = start
        start = (now, current)
        guard !current.isEmpty else { return true }
        guard let earlier, let length, length <= Self.intervalMilliseconds.upperBound,
            earlier.times.count == current.count
        else {
            // A first interval begins with a report of a connection, after which the group looks again anyway.
            permitted = 0
            isUndecided = earlier != nil
            return false
        }
        let hasRoom = Self.hasRoom(from: earlier.times, to: current, nanoseconds: length * 1_000_000)
        permitted = hasRoom ? permitted + 1 : 0
        let isPermitted = permitted == Self.permittingIntervals
        if isPermitted { permitted = 0 }
        isUndecided = permitted > 0
        return isPermitted
    }

    private static func hasRoom(from: [ProcessorTime], to: [ProcessorTime], nanoseconds: UInt64) -> Bool {
        let worked = zip(from, to).map { before, after in
            ProcessorTime(running: after.running &- before.running, waiting: after.waiting &- before.waiting)
        }
        let active = worked.map { $0.running &+ $0.waiting }
        guard active.contains(where: { $0 < nanoseconds / 100 * busyPercent }) else { return false }
        guard active.contains(where: { $0 > nanoseconds / 100 * idlePercent }) else { return true }
        return worked.reduce(0) { $0 &+ $1.waiting } < worked.reduce(0) { $0 &+ $1.running }
    }
}
