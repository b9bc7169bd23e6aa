import CarillonCommandLine
import CarillonCore

/// The rates between two samples of a server's statistics.
struct StatisticsRates: Equatable {
    /// The time between the samples, in seconds.
    var seconds: Double
    /// The requests answered a second.
    var requests: Double
    /// The requests refused a second.
    var refused: Double
    /// The average time of a request in microseconds; nil if no request was answered.
    var requestMicroseconds: Double?
    /// The deliveries that ended, a second.
    var ended: Double
    /// The deliveries with the outcome `delivered`, a second.
    var delivered: Double
    /// The batches of changes a second.
    var batches: Double
    /// The changes in these batches a second.
    var changes: Double
    /// The pushes put on the wire a second, by the index of the pool in the later sample.
    var attempts: [Double]

    /// Computes the rates between two samples; returns nil if the server has restarted between them, or no time has
    /// passed.
    init?(from before: ServerStatistics, to after: ServerStatistics) {
        guard before.startedAt == after.startedAt, after.at > before.at else { return nil }
        let seconds = Double(after.at.milliseconds(since: before.at)) / 1_000
        func rate(_ count: (ServerStatistics) -> UInt64) -> Double {
            // Totals never fall while a server runs.
            let now = count(after)
            let then = count(before)
            return Double(now - min(now, then)) / seconds
        }
        self.seconds = seconds
        requests = rate(\.answeredCount)
        refused = rate { $0.requests.filter { $0.error != nil }.reduce(0) { $0 &+ $1.count } }
        let time = rate { $0.requests.reduce(0) { $0 &+ $1.microseconds } }
        requestMicroseconds = requests > 0 ? time / requests : nil
        ended = rate { $0.outcomes.values.reduce(0, &+) }
        delivered = rate { $0.outcomes[.delivered, default: 0] }
        batches = rate(\.batches.count)
        changes = rate(\.batches.changes)
        attempts = after.pools.map { pool in
            rate { statistics in
                statistics.pools.first {
                    $0.credential == pool.credential && $0.environment == pool.environment
                }?.attempts ?? 0
            }
        }
    }

    /// The rates as JSON; their names are stable.
    var json: JSON {
        .members([
            "seconds": .decimal(seconds), "requests": .decimal(requests), "refused": .decimal(refused),
            "request_us": requestMicroseconds.map { .decimal($0) }, "ended": .decimal(ended),
            "delivered": .decimal(delivered), "batches": .decimal(batches), "changes": .decimal(changes),
            "attempts": .list(attempts.map { .decimal($0) }),
        ])
    }
}

extension ServerStatistics {
    /// The number of answered requests of all operations, with those that were refused.
    var answeredCount: UInt64 { requests.reduce(0) { $0 &+ $1.count } }
}

/// The latest rates, as a line of bars.
struct RateHistory: Equatable {
    /// The maximum number of rates that are kept: more than the columns of most terminals.
    private static let limit = 512

    private(set) var rates: [Double] = []

    /// The highest rate that is kept; 0 before the first.
    var highest: Double { rates.max() ?? 0 }

    /// Adds a rate; the oldest is dropped if there are too many.
    mutating func add(_ rate: Double) {
        if rates.count == Self.limit { rates.removeFirst() }
        rates.append(rate)
    }

    /// Returns the latest rates, a bar for each, the highest with the full height.
    func line(columns: Int) -> String {
        let shown = rates.suffix(max(0, columns))
        guard let highest = shown.max(), highest > 0 else { return String(repeating: " ", count: shown.count) }
        let bars = Array(" ▁▂▃▄▅▆▇█")
        return String(
            shown.map { rate in
                // Only no delivery at all has no bar.
                rate <= 0 ? bars[0] : bars[min(8, max(1, Int((rate / highest * 8).rounded())))]
            })
    }
}
