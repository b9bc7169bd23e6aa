/// How the work of a pool is shared: a connection that is served worse than the best of the others gets less of it, until it
/// is served as well as they are.
///
/// A connection that is refused at once has free streams at once, and would take most of the work; one that is slow would hold
/// as much as all others together. When all are served alike nobody gets less: that is what backing off is for.
package struct PoolBalance: Sendable {
    /// Bounds of unequal treatment.
    package struct Limits: Hashable, Sendable {
        /// Answers in a window from which on a connection is judged, or serves as the measure of others.
        package var answers = 10
        /// Busy answers that are taken for chance, as a share of all.
        package var busyShare = 0.1
        /// Time to an answer that is taken for good, in windows; below one, bursts would be taken for it.
        package var latency = 1.5
        /// How many times worse than the best a connection must be.
        package var factor = 3.0
        /// Pushes a window that even the worst connection gets: they tell when it is good again.
        package var leastRate = 4

        /// Makes the defaults.
        package init() {}
    }

    /// What a connection did in one window.
    package struct Report: Hashable, Sendable {
        /// Answers of any kind.
        package var answers: Int
        /// Of these, those that say that APNs is busy: 429, 500, 503.
        package var busy: Int
        /// Pushes without an answer at the end of the window.
        package var waiting: Int

        /// Makes a report.
        package init(answers: Int, busy: Int, waiting: Int) {
            (self.answers, self.busy, self.waiting) = (answers, busy, waiting)
        }

        fileprivate var busyShare: Double { Double(busy) / Double(max(1, answers)) }

        /// Time from a push to its answer, in windows (Little's law).
        ///
        /// - Parameter before: pushes without an answer at the beginning: a burst at the end says nothing yet.
        fileprivate func latency(before: Int) -> Double { Double(min(before, waiting)) / Double(max(1, answers)) }
    }

    private let limits: Limits
    private var waiting: [Int: Int] = [:]
    /// Pushes a window of those connections that get less than they could take.
    package private(set) var rates: [Int: Int] = [:]

    /// Makes one that treats all alike.
    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Judges all connections of a pool by their numbers, at the end of each window.
    package mutating func judge(_ reports: [Int: Report]) {
        rates = rates.filter { reports[$0.key] != nil }
        let latencies = reports.reduce(into: [:]) { $0[$1.key] = $1.value.latency(before: waiting[$1.key] ?? 0) }
        waiting = reports.mapValues(\.waiting)
        let measures = reports.filter { $0.value.answers >= limits.answers && rates[$0.key] == nil }
        let bestShare = measures.values.map(\.busyShare).min() ?? 1
        let bestLatency = measures.keys.compactMap { latencies[$0] }.min() ?? .infinity
        let full = measures.values.map(\.answers).max() ?? 0
        for (number, report) in reports {
            let isWorse =
                report.busyShare > max(limits.busyShare, bestShare * limits.factor)
                || latencies[number, default: 0] > max(limits.latency, bestLatency * limits.factor)
            if isWorse {
                // A connection with a handful of answers is judged only if it has been already.
                guard rates[number] != nil || max(report.answers, report.waiting) >= limits.answers else { continue }
                rates[number] = max(limits.leastRate, (rates[number] ?? report.answers) / 4)
            } else if let rate = rates[number] {
                rates[number] = rate * 2 >= full ? nil : rate * 2
            }
        }
    }
}

/// What one connection may still send in the window that runs, while it gets less than it could take. Times are
/// milliseconds of uptime.
package struct Ration: Sendable {
    /// Milliseconds of a window.
    package static let window: UInt64 = 1_000

    /// Pushes a window; nil if there is no bound.
    package var rate: Int?
    private var windowBegan: UInt64 = 0
    private var sent = 0

    /// Makes one without a bound.
    package init() {}

    /// How many may be sent now; nil if there is no bound.
    package mutating func allowance(at now: UInt64) -> Int? {
        guard let rate else { return nil }
        if now - min(now, windowBegan) >= Self.window { (windowBegan, sent) = (now, 0) }
        return max(0, rate - sent)
    }

    /// So many were sent.
    package mutating func sent(_ count: Int) {
        if rate != nil { sent += count }
    }
}
