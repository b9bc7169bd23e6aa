import CarillonCore

/// The samples of the last hour, one each five seconds, so that a chart has a past when it is opened. A decision
/// without clock or I/O: the statistics of the server go in.
struct ConsoleHistory {
    static let intervalMilliseconds: Int64 = 5_000
    /// The most samples: an hour of them.
    static let maximumSamples = 720
    /// The most messages whose progress is kept; beyond it the one that was sent longest ago is forgotten.
    static let maximumMessages = 256
    /// The most points of a message; beyond it every second one is left out.
    static let maximumPoints = 240

    /// The row of one sample: a value for each of `columns`.
    private struct Row {
        var atMilliseconds: UInt64
        var values: [UInt64]
    }

    /// A point of a message's progress: the recipients that have ended by then, by group.
    struct Point: Hashable, Sendable {
        var atMilliseconds: UInt64
        var delivered: UInt64 = 0
        var failed: UInt64 = 0
        var notSent: UInt64 = 0

        init(at: Timestamp, _ outcomes: [Outcome: UInt64] = [:]) {
            atMilliseconds = at.milliseconds
            for (outcome, devices) in outcomes where outcome != .pending {
                switch OutcomeGroup(outcome) {
                case .delivered: delivered &+= devices
                case .failed: failed &+= devices
                case .notSent: notSent &+= devices
                }
            }
        }
    }

    /// The statistics now and at the sample before, from which a sample is made.
    private struct Interval {
        let now: ServerStatistics
        let previous: ServerStatistics
        private let samples: (now: ConsoleSample, previous: ConsoleSample)
        /// The times of the latest batches in microseconds, ascending.
        let batches: [UInt32]

        init(_ now: ConsoleSample, since previous: ConsoleSample) {
            samples = (now, previous)
            self.now = now.statistics
            self.previous = previous.statistics
            batches = self.now.batches.latest.sorted()
        }

        /// Returns the growth of a total in tenths per second: one failure in five seconds is 2, and not rounded to 0.
        func rate(_ total: (ServerStatistics) -> UInt64) -> UInt64 { rate(from: total(previous), to: total(now)) }

        /// Returns the number of pushes that a provider has accepted, in tenths per second.
        func accepted(by provider: Provider) -> UInt64 {
            rate(from: samples.previous.accepted[provider] ?? 0, to: samples.now.accepted[provider] ?? 0)
        }

        private func rate(from old: UInt64, to new: UInt64) -> UInt64 {
            let milliseconds = now.at.milliseconds - previous.at.milliseconds
            return new > old ? (new - old) &* 10_000 / milliseconds : 0
        }

        /// Returns the number of recipients that ended with an outcome of a group, in tenths per second.
        func ended(_ group: OutcomeGroup) -> UInt64 {
            rate { $0.outcomes.reduce(0) { $0 &+ (OutcomeGroup($1.key) == group ? $1.value : 0) } }
        }

        /// Returns the time of a batch that `percent` of the latest ones did not exceed; 0 if there was no batch.
        func batchMicroseconds(percent: Int) -> UInt64 {
            batches.isEmpty ? 0 : UInt64(batches[min(batches.count - 1, batches.count * percent / 100)])
        }

        /// Returns the number of recipients of a lane that wait for a connection.
        func waiting(_ lane: Lane) -> UInt64 {
            now.lanes.reduce(0) { $0 + ($1.lane == lane ? UInt64($1.waiting) : 0) }
        }
    }

    /// The form in which a value of a sample is written.
    private enum Unit {
        case whole, tenths
    }

    /// The values of a sample by name. Rates are per second, times are in microseconds.
    private static let columns: [(name: String, unit: Unit, value: @Sendable (Interval) -> UInt64)] = [
        ("delivered", .tenths, { $0.ended(.delivered) }),
        ("failed", .tenths, { $0.ended(.failed) }),
        ("not_sent", .tenths, { $0.ended(.notSent) }),
        ("apns", .tenths, { $0.accepted(by: .apns) }),
        ("fcm", .tenths, { $0.accepted(by: .fcm) }),
        ("web", .tenths, { $0.accepted(by: .web) }),
        ("requests", .tenths, { $0.rate { $0.requests.reduce(0) { $0 &+ $1.count } } }),
        ("batches", .tenths, { $0.rate(\.batches.count) }),
        ("changes", .tenths, { $0.rate(\.batches.changes) }),
        ("batch_p50", .whole, { $0.batchMicroseconds(percent: 50) }),
        ("batch_p99", .whole, { $0.batchMicroseconds(percent: 99) }),
        ("interactive_waiting", .whole, { $0.waiting(.interactive) }),
        ("bulk_waiting", .whole, { $0.waiting(.bulk) }),
        ("in_flight", .whole, { $0.now.lanes.reduce(0) { $0 + UInt64($1.inFlight) } }),
        ("delayed", .whole, { $0.now.lanes.reduce(0) { $0 + UInt64($1.delayed) } }),
        ("connections", .whole, { $0.now.pools.reduce(0) { $0 + UInt64($1.open) } }),
        ("streams", .whole, { $0.now.pools.reduce(0) { $0 + UInt64($1.streams) } }),
        ("clients", .whole, { UInt64($0.now.clients) }),
    ]

    private var rows: [Row] = []
    /// The number of the first row, from 1.
    private var firstNumber: UInt64 = 1
    private var previous: ConsoleSample?
    private var pointsByMessage: [UInt64: [Point]] = [:]

    var count: Int { rows.count }

    mutating func add(_ sample: ConsoleSample) {
        let statistics = sample.statistics
        for each in statistics.sending {
            if let outcomes = sample.outcomes[each.id] { addPoint(of: each, outcomes, at: statistics.at) }
        }
        defer { previous = sample }
        guard let previous, statistics.at > previous.statistics.at else { return }
        if rows.count == Self.maximumSamples {
            rows.removeFirst()
            firstNumber += 1
        }
        let interval = Interval(sample, since: previous)
        rows.append(
            Row(atMilliseconds: statistics.at.milliseconds, values: Self.columns.map { $0.value(interval) }))
    }

    private mutating func addPoint(
        of message: ServerStatistics.SendingMessage, _ outcomes: [Outcome: UInt64], at now: Timestamp
    ) {
        let id = message.id.rawValue
        if pointsByMessage[id] == nil, pointsByMessage.count >= Self.maximumMessages,
            let oldest = pointsByMessage.min(by: {
                ($0.value.last?.atMilliseconds ?? 0) < ($1.value.last?.atMilliseconds ?? 0)
            })
        {
            pointsByMessage[oldest.key] = nil
        }
        var points = pointsByMessage.removeValue(forKey: id) ?? [Point(at: message.acceptedAt)]
        if points.last?.atMilliseconds != now.milliseconds { points.append(Point(at: now, outcomes)) }
        if points.count > Self.maximumPoints {
            points = points.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
        }
        pointsByMessage[id] = points
    }

    /// Returns the progress of a message, the oldest point first; empty if none is kept.
    func points(of message: UInt64) -> [Point] { pointsByMessage[message] ?? [] }

    /// Appends the samples after a number as a JSON object of columns.
    func append(after number: UInt64, to output: inout JSONStreamWriter) {
        let skipped =
            number < firstNumber ? 0 : Int(min(number - firstNumber + 1, UInt64(rows.count)))
        let newRows = rows[skipped...]
        output.object { output in
            output.member("interval_ms", Self.intervalMilliseconds)
            output.member("last", firstNumber + UInt64(rows.count) - 1)
            output.name("at")
            output.array { output in for row in newRows { output.number(row.atMilliseconds) } }
            for (index, column) in Self.columns.enumerated() {
                output.name(column.name)
                output.array { output in
                    for value in newRows.map({ $0.values[index] }) {
                        switch column.unit {
                        case .whole: output.number(value)
                        case .tenths: output.number(tenths: value)
                        }
                    }
                }
            }
        }
    }
}

/// The meaning of an outcome for an operator.
enum OutcomeGroup: Hashable, Sendable {
    /// The provider has accepted the push.
    case delivered
    /// The push was attempted, or should have been, and was not accepted.
    case failed
    /// The push was not to be sent: muted, expired, cancelled, and so on.
    case notSent

    /// Makes the group of an outcome. `pending` is in `notSent`, but no chart counts it (`ConsoleHistory.Point`).
    init(_ outcome: Outcome) {
        switch outcome {
        case .delivered: self = .delivered
        case .gaveUp, .noCredential: self = .failed
        default: self = outcome.isProviderRefusal ? .failed : .notSent
        }
    }
}
