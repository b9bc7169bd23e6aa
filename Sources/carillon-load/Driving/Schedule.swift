import CarillonCore
import Glibc

/// The times at which requests are due at a given rate, independent of earlier answers: the open loop.
///
/// Latency is measured from these times. A request that cannot be sent in time stays due, so that a stall of the server
/// counts for every request that it delays, not only for requests in flight. Times are nanoseconds.
struct Schedule {
    /// The distribution of the times between requests.
    enum Arrivals: String, CaseIterable, Codable, Sendable {
        /// The times are random, as of independent callers (a Poisson process).
        case poisson
        /// The times are equal.
        case even
    }

    private let gap: Double
    private let arrivals: Arrivals
    private var end: UInt64
    private var generator: SeededGenerator
    /// The time at which the next request is due.
    private var due: Double

    /// - Parameters:
    ///   - rate: the requests a second, more than 0.
    ///   - end: the time before which the last request is due.
    init(rate: Double, arrivals: Arrivals, from start: UInt64, to end: UInt64, seed: UInt64) {
        gap = 1e9 / rate
        self.arrivals = arrivals
        self.end = end
        generator = SeededGenerator(seed: seed)
        // The random offset prevents several schedules of one load from running in step.
        due = Double(start) + gap * generator.unit()
    }

    /// The time at which the next request is due; nil after the end.
    var next: UInt64? {
        let next = UInt64(due)
        return next < end ? next : nil
    }

    /// Removes the next request if it is due at `now`, and returns the time at which it was due; nil if it is not due
    /// yet.
    mutating func popDue(at now: UInt64) -> UInt64? {
        guard let next, next <= now else { return nil }
        due += arrivals == .even ? gap : -log(1 - generator.unit()) * gap
        return next
    }

    /// Ends the schedule at an earlier time.
    mutating func end(at time: UInt64) { end = min(end, time) }

    /// The average number of requests from the next one to the end.
    var remaining: UInt64 {
        guard let next else { return 0 }
        return UInt64((Double(end - next) / gap).rounded(.up))
    }
}
