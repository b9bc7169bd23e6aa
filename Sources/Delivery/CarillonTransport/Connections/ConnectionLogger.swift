import CarillonClock
import CarillonCore
import Logging
import Synchronization

/// The log of a pool's connections. The number of lines of one kind is limited (`LineRateLimit`).
final class ConnectionLogger: Sendable {
    private let limit = Mutex(LineRateLimit())

    /// Writes a line, unless there were many with the same message. The next line that is written says how many were
    /// left out.
    func write(
        _ message: Logger.Message, metadata: Logger.Metadata, level: Logger.Level = .warning, to logger: Logger
    ) {
        let now = Clock.uptime()
        guard let omitted = limit.withLock({ $0.admitLine(of: "\(message)", at: now) }) else { return }
        var metadata = metadata
        if omitted > 0 { metadata["omitted_before"] = "\(omitted)" }
        logger.log(level: level, message, metadata: metadata)
    }
}

/// A limit of the log lines of one kind in an interval of time: a fault that every connection meets must not fill the
/// log.
struct LineRateLimit: Sendable {
    /// The most lines of one kind in an interval. Further lines are counted, and not written.
    static let maximumLines = 10
    /// The milliseconds of an interval, which begins with the first line of its kind.
    static let intervalMilliseconds: UInt64 = 60_000
    /// The most kinds that are told apart. All further kinds count as one.
    private static let maximumKinds = 32

    private struct Interval {
        var began: Uptime
        var lines = 0
        var omitted = 0
    }

    private var intervals: [String: Interval] = [:]

    init() {}

    /// Counts a line, and decides whether it is written. Returns the number of lines of its kind that were omitted
    /// since the last one that was written; nil if this one must be omitted too.
    mutating func admitLine(of kind: String, at now: Uptime) -> Int? {
        let kind = intervals[kind] != nil || intervals.count < Self.maximumKinds ? kind : ""
        var interval = intervals[kind] ?? Interval(began: now)
        if now.milliseconds(since: interval.began) >= Self.intervalMilliseconds {
            interval = Interval(began: now, omitted: interval.omitted)
        }
        defer { intervals[kind] = interval }
        guard interval.lines < Self.maximumLines else {
            interval.omitted += 1
            return nil
        }
        interval.lines += 1
        defer { interval.omitted = 0 }
        return interval.omitted
    }
}
