import CarillonCore
import Glibc

/// The times at which requests are due at a given rate, independent of earlier answers: the open loop.
///
/// Latency is measured from these times. A request that cannot be sent in time stays due, so that a stall of the server
/// counts for every request that it delays, not only for requests in flight.
struct Schedule {
    /// The distribution of the times between requests.
    enum Distribution: String, CaseIterable, Codable, Sendable {
        /// The times are random, as of independent callers (a Poisson process).
        case poisson
        /// The times are equal.
        case even
    }

    private let gapNanoseconds: Double
    private let arrivals: Distribution
    private var endNanoseconds: UInt64
    private var generator: SeededGenerator
    /// The time at which the next request is due.
    private var dueNanoseconds: Double

    /// Makes the schedule of the requests between two times.
    ///
    /// - Parameters:
    ///   - rate: the requests a second, more than 0.
    ///   - end: the time before which the last request is due.
    init(
        rate: Double, arrivals: Distribution, fromNanoseconds start: UInt64, toNanoseconds end: UInt64, seed: UInt64
    ) {
        gapNanoseconds = 1e9 / rate
        self.arrivals = arrivals
        endNanoseconds = end
        generator = SeededGenerator(seed: seed)
        // The random offset prevents several schedules of one load from running in step.
        dueNanoseconds = Double(start) + gapNanoseconds * generator.unit()
    }

    /// The time at which the next request is due; nil after the end.
    var nextDueNanoseconds: UInt64? {
        let next = UInt64(dueNanoseconds)
        return next < endNanoseconds ? next : nil
    }

    /// Removes the next request if it is due at `now`, and returns the time at which it was due; nil if it is not due
    /// yet.
    mutating func popDue(atNanoseconds now: UInt64) -> UInt64? {
        guard let next = nextDueNanoseconds, next <= now else { return nil }
        dueNanoseconds += (arrivals == .even ? 1 : -log(1 - generator.unit())) * gapNanoseconds
        return next
    }

    /// Ends the schedule at an earlier time.
    mutating func end(atNanoseconds time: UInt64) { endNanoseconds = min(endNanoseconds, time) }

    /// The average number of requests from the next one to the end.
    var expectedRemainingCount: UInt64 {
        guard let next = nextDueNanoseconds else { return 0 }
        return UInt64((Double(endNanoseconds - next) / gapNanoseconds).rounded(.up))
    }
}
