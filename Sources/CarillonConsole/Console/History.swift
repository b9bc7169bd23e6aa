import CarillonCore
import CarillonGateway

/// The figures of the last hour, one sample each five seconds, so that a chart has a past when it is opened. A decision
/// without clock or I/O: the statistics of the server go in.
struct History {
    /// Milliseconds from one sample to the next.
    static let intervalMilliseconds: Int64 = 5_000
    /// The samples of an hour.
    static let maximumSamples = 720
    /// The most messages whose progress is kept; beyond it the one that was sent longest ago is forgotten.
    static let maximumMessages = 256
    /// The most points of a message; beyond it every second one is left out.
    static let maximumPoints = 240

    /// One sample: a value for each of `names`.
    private struct Sample {
        var at: UInt64
        var values: [UInt64]
    }

    /// A point of a message's progress.
    struct Point: Hashable, Sendable {
        var at: UInt64
        var ended: UInt64
    }

    /// What is kept. Rates are a second, times are in microseconds.
    static let names = [
        "delivered", "failed", "not_sent", "requests", "commits", "changes", "commit_p50", "commit_p99",
        "interactive_waiting", "bulk_waiting", "in_flight", "delayed", "connections", "streams", "clients",
    ]

    private var samples: [Sample] = []
    /// The number of the first sample, from 1.
    private var first: UInt64 = 1
    private var last: ServerStatistics?
    private var messages: [UInt64: [Point]] = [:]

    /// The number of samples.
    var count: Int { samples.count }

    /// Adds a sample.
    mutating func add(_ statistics: ServerStatistics) {
        for each in statistics.sending { addPoint(of: each, at: statistics.at) }
        defer { last = statistics }
        guard let last, statistics.at > last.at else { return }
        if samples.count == Self.maximumSamples {
            samples.removeFirst()
            first += 1
        }
        let milliseconds = statistics.at.milliseconds - last.at.milliseconds
        samples.append(
            Sample(
                at: statistics.at.milliseconds, values: Self.values(statistics, since: last, milliseconds: milliseconds)
            ))
    }

    private static func values(
        _ now: ServerStatistics, since last: ServerStatistics, milliseconds: UInt64
    ) -> [UInt64] {
        func rate(_ total: (ServerStatistics) -> UInt64) -> UInt64 {
            let (new, old) = (total(now), total(last))
            return new > old ? (new - old) &* 1_000 / milliseconds : 0
        }
        func ended(_ group: OutcomeGroup) -> (ServerStatistics) -> UInt64 {
            { $0.outcomes.reduce(0) { $0 &+ (OutcomeGroup($1.key) == group ? $1.value : 0) } }
        }
        let latest = now.commits.latest.sorted()
        func quantile(_ share: Int) -> UInt64 {
            latest.isEmpty ? 0 : UInt64(latest[min(latest.count - 1, latest.count * share / 100)])
        }
        func sum<T>(_ list: [T], _ value: (T) -> UInt32) -> UInt64 { list.reduce(0) { $0 + UInt64(value($1)) } }
        func waiting(_ lane: Lane) -> UInt64 { sum(now.lanes.filter { $0.lane == lane }, { $0.waiting }) }
        return [
            rate(ended(.delivered)), rate(ended(.failed)), rate(ended(.notSent)),
            rate { $0.requests.reduce(0) { $0 &+ $1.count } }, rate(\.commits.count), rate(\.commits.changes),
            quantile(50), quantile(99), waiting(.interactive), waiting(.bulk),
            sum(now.lanes, { $0.inFlight }), sum(now.lanes, { $0.delayed }), sum(now.pools, { $0.open }),
            sum(now.pools, { $0.streams }), UInt64(now.clients),
        ]
    }

    private mutating func addPoint(of message: ServerStatistics.SendingMessage, at now: Timestamp) {
        let id = message.id.rawValue
        if messages[id] == nil, messages.count >= Self.maximumMessages,
            let oldest = messages.min(by: { ($0.value.last?.at ?? 0) < ($1.value.last?.at ?? 0) })
        {
            messages[oldest.key] = nil
        }
        var points = messages.removeValue(forKey: id) ?? [Point(at: message.acceptedAt.milliseconds, ended: 0)]
        if points.last?.at != now.milliseconds { points.append(Point(at: now.milliseconds, ended: message.ended)) }
        if points.count > Self.maximumPoints {
            points = points.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
        }
        messages[id] = points
    }

    /// The progress of a message, the oldest point first; empty if none is kept.
    func points(of message: UInt64) -> [Point] { messages[message] ?? [] }

    /// Appends the samples after a number as a JSON object of columns.
    func append(after number: UInt64, to output: inout JSONOutput) {
        let skipped =
            number < first ? 0 : number - first < UInt64(samples.count) ? Int(number - first) + 1 : samples.count
        let rows = samples[skipped...]
        output.object { output in
            output.member("interval_ms", Self.intervalMilliseconds)
            output.member("last", first + UInt64(samples.count) - 1)
            output.name("at")
            output.array { output in for row in rows { output.number(row.at) } }
            for (index, name) in Self.names.enumerated() {
                output.name(name)
                output.array { output in for row in rows { output.number(row.values[index]) } }
            }
        }
    }
}

/// What an outcome means for an operator.
enum OutcomeGroup: Hashable, Sendable {
    /// APNs has accepted the push.
    case delivered
    /// It was attempted, or should have been, and was not accepted.
    case failed
    /// It was not to be sent: muted, expired, cancelled, and so on.
    case notSent

    init(_ outcome: Outcome) {
        switch outcome.rawValue {
        case 1: self = .delivered
        case 4, 6, 32...: self = .failed
        default: self = .notSent
        }
    }
}
