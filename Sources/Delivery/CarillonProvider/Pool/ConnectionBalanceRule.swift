package import CarillonCore

/// Shares the work of a connection group between its connections. A connection that is served worse than the best of
/// the others gets less, until it is served as well as they are.
///
/// A connection whose pushes are refused at once has free streams at once, and would take most of the work. A slow
/// connection would hold as many pushes as all others together. If all connections are served alike, none gets less:
/// then the backoffs and the throttle help.
package struct ConnectionBalanceRule: Sendable {
    /// The bounds between good and bad service, and the steps by which a connection gets less or more.
    package struct Limits: Hashable, Sendable {
        /// The answers that a connection must have in an interval to be judged, or to be the standard for the others.
        package var minimumAnswers = 10
        /// The share of busy answers that counts as chance.
        package var tolerableBusyShare = 0.1
        /// The time to an answer that counts as good, in intervals. With less than one, bursts would count as slow.
        package var tolerableLatencyIntervals = 1.5
        /// The factor of the best connection's share of busy answers, and of its time to an answer. A connection above
        /// it is too bad.
        package var tolerableFactorOfBest = 3.0
        /// The divisor of a connection's pushes per interval, in each interval in which it is too bad.
        package var decreaseDivisor = 4
        /// The factor of its pushes per interval, in each interval in which it is good enough.
        package var increaseFactor = 2
        /// The pushes in an interval that even the worst connection gets: their answers show when it is good again.
        package var minimumPushesPerInterval = 4

        package init() {}
    }

    /// The counts of a connection in one interval.
    package struct Report: Hashable, Sendable {
        /// The number of answers of any kind.
        package var answers: Int
        /// The number of these answers that said that the provider is busy, for example 429 or 503.
        package var busy: Int
        /// The number of pushes without an answer at the end of the interval.
        package var unanswered: Int

        package init(answers: Int, busy: Int, unanswered: Int) {
            self.answers = answers
            self.busy = busy
            self.unanswered = unanswered
        }

        fileprivate var busyShare: Double { Double(busy) / Double(max(1, answers)) }

        /// Returns the time from a push to its answer, in intervals (Little's law).
        ///
        /// The smaller number of the pushes without an answer at the beginning and at the end counts. The pushes of a
        /// burst late in the interval have no answer at its end, but that does not mean that the connection is slow.
        ///
        /// - Parameter before: the number of pushes without an answer at the beginning.
        fileprivate func latency(before: Int) -> Double { Double(min(before, unanswered)) / Double(max(1, answers)) }
    }

    private let limits: Limits
    private var unanswered: [Int: Int] = [:]
    /// The most pushes in an interval of each connection that gets less than it could take, by number.
    package private(set) var pushesPerInterval: [Int: Int] = [:]

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Judges all connections of a group, by number, at the end of each interval.
    package mutating func judge(_ reports: [Int: Report]) {
        pushesPerInterval = pushesPerInterval.filter { reports[$0.key] != nil }
        let latencies = measureLatencies(reports)
        let standard = findStandard(in: reports, latencies: latencies)
        for (number, report) in reports {
            if standard.isMet(busyShare: report.busyShare, latency: latencies[number, default: 0]) {
                increasePushes(of: number, upTo: standard.answers)
            } else {
                decreasePushes(of: number, after: report)
            }
        }
    }

    /// The best service that a connection had in an interval, and the worst that is tolerated beside it.
    private struct Standard {
        /// The highest share of busy answers that is tolerated.
        var tolerableBusyShare: Double
        /// The longest time to an answer that is tolerated, in intervals.
        var tolerableLatency: Double
        /// The most answers of a connection that gets all that it can take.
        var answers: Int

        func isMet(busyShare: Double, latency: Double) -> Bool {
            busyShare <= tolerableBusyShare && latency <= tolerableLatency
        }
    }

    /// Measures the time to an answer of each connection, and remembers the pushes without an answer for the next
    /// interval.
    private mutating func measureLatencies(_ reports: [Int: Report]) -> [Int: Double] {
        let latencies = reports.reduce(into: [:]) { $0[$1.key] = $1.value.latency(before: unanswered[$1.key] ?? 0) }
        unanswered = reports.mapValues(\.unanswered)
        return latencies
    }

    /// Finds the standard, which is set by the connections that have enough answers and get all that they can take.
    private func findStandard(in reports: [Int: Report], latencies: [Int: Double]) -> Standard {
        let measures = reports.filter { $0.value.answers >= limits.minimumAnswers && pushesPerInterval[$0.key] == nil }
        let bestShare = measures.values.map(\.busyShare).min() ?? 1
        let bestLatency = measures.keys.compactMap { latencies[$0] }.min() ?? .infinity
        return Standard(
            tolerableBusyShare: max(limits.tolerableBusyShare, bestShare * limits.tolerableFactorOfBest),
            tolerableLatency: max(limits.tolerableLatencyIntervals, bestLatency * limits.tolerableFactorOfBest),
            answers: measures.values.map(\.answers).max() ?? 0)
    }

    private mutating func decreasePushes(of number: Int, after report: Report) {
        // A connection with a handful of answers is judged only if it is limited already.
        guard pushesPerInterval[number] != nil || max(report.answers, report.unanswered) >= limits.minimumAnswers else {
            return
        }
        let decreased = (pushesPerInterval[number] ?? report.answers) / limits.decreaseDivisor
        pushesPerInterval[number] = max(limits.minimumPushesPerInterval, decreased)
    }

    /// Gives a connection more pushes, and ends its limit once it would get as many as the best.
    private mutating func increasePushes(of number: Int, upTo answers: Int) {
        guard let pushes = pushesPerInterval[number] else { return }
        let increased = pushes * limits.increaseFactor
        pushesPerInterval[number] = increased >= answers ? nil : increased
    }
}

/// Limits the pushes of one connection in each interval, while `ConnectionBalanceRule` gives it less than it could
/// take.
package struct ConnectionRateLimit: Sendable {
    /// The pushes that may be sent in an interval; nil if there is no limit.
    package private(set) var pushesPerInterval: Int?
    private var intervalMilliseconds: UInt64 = 1_000
    private var intervalBegan: Uptime = 0
    private var sentInInterval = 0

    package init() {}

    /// Sets the number of pushes that may begin in an interval.
    ///
    /// - Parameter pushesPerInterval: nil for no limit.
    package mutating func set(_ pushesPerInterval: Int?, intervalMilliseconds: UInt64) {
        self.pushesPerInterval = pushesPerInterval
        self.intervalMilliseconds = intervalMilliseconds
    }

    /// Returns the number of pushes that may be sent now; nil if there is no limit.
    package func allowance(at now: Uptime) -> Int? {
        pushesPerInterval.map { isIntervalOver(at: now) ? $0 : max(0, $0 - sentInInterval) }
    }

    /// Records that `count` pushes were sent. The first of them after the end of an interval begins the next one.
    package mutating func pushesSent(_ count: Int, at now: Uptime) {
        guard pushesPerInterval != nil else { return }
        if isIntervalOver(at: now) {
            intervalBegan = now
            sentInInterval = 0
        }
        sentInInterval += count
    }

    private func isIntervalOver(at now: Uptime) -> Bool {
        now.milliseconds(since: intervalBegan) >= intervalMilliseconds
    }
}
