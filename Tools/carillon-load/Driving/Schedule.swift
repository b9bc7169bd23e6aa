import Glibc

/// When requests are due at a given rate, whatever becomes of those before: the open loop.
///
/// Latency is measured from these times. What cannot be sent in time stays due, so that a server that stalls is charged for
/// every request that its stall has kept waiting, and not only for those that were under way. Times are nanoseconds.
struct Schedule {
    /// How requests follow each other.
    enum Arrivals: String, CaseIterable, Codable, Sendable {
        /// At chance, as independent callers come (a Poisson process).
        case poisson
        /// At equal distances.
        case even
    }

    private let gap: Double
    private let arrivals: Arrivals
    private var end: UInt64
    private var generator: SeededGenerator
    /// When the next one is due.
    private var due: Double

    /// Requests at `rate` a second, which is above 0, from `start` to before `end`.
    init(rate: Double, arrivals: Arrivals, from start: UInt64, to end: UInt64, seed: UInt64) {
        gap = 1e9 / rate
        self.arrivals = arrivals
        self.end = end
        generator = SeededGenerator(seed: seed)
        // Several schedules of one load do not start in step.
        due = Double(start) + gap * generator.unit()
    }

    /// When the next request is due; nothing after the end.
    var next: UInt64? {
        let next = UInt64(due)
        return next < end ? next : nil
    }

    /// Takes the next request if it is due at `now`; when it was due.
    mutating func take(at now: UInt64) -> UInt64? {
        guard let next, next <= now else { return nil }
        due += arrivals == .even ? gap : -log(1 - generator.unit()) * gap
        return next
    }

    /// Ends it sooner.
    mutating func end(at time: UInt64) { end = min(end, time) }

    /// How many are due from the next one to the end, on average.
    var remaining: UInt64 {
        guard let next else { return 0 }
        return UInt64((Double(end - next) / gap).rounded(.up))
    }
}
