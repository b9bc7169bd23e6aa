import CarillonCore

/// The most pushes of the bulk lane that a pool may have in flight, so that they do not wait in a queue on the path to
/// the provider.
///
/// Streams alone are no bound: eight connections of a thousand streams fill any path. Pushes in flight beyond the
/// path's capacity only wait, and an interactive push waits behind them. So the window grows while answers come as fast
/// as they can, and shrinks while all of them are late. This is congestion control by delay, as in TCP Vegas. To
/// measure how fast answers can come, our own queue must be empty. So now and then, while the window is full, bulk
/// stops for a moment (as BBR probes the round-trip time).
///
/// Several servers, or nodes of a cluster, may send over the same path. Each shrinks its window by a factor when
/// answers are late, and grows it by a constant when they are not, which makes the windows alike (AIMD, as in TCP
/// Reno). A server that began behind the queue of another has measured a fastest answer that is too slow. So each
/// measures often.
///
/// For example, an answer takes 20 ms without a queue, and the window is 1,000. While the fastest answer of each
/// interval takes at most 30 ms, a full window grows by a quarter: 1,250. Then the fastest answer takes 45 ms, so all
/// of them wait somewhere. If the 20 ms were measured within the last second, the window shrinks by an eighth, to
/// 1,094, and grows by 128 at most from then on. If they are older, the path itself may have become longer. So bulk
/// stops for 25 ms, until the queue is empty, and 64 pushes then show how long an answer takes now.
///
/// A push that is not answered within a second is no longer counted: a dead connection must not hold up the others
/// until it is detected.
struct BulkWindow {
    /// The smallest window, and the number of pushes of a measurement.
    static let minimumPushes = 64
    /// The size of the window at first: about the streams of one connection.
    static let initialPushes = 1_000
    /// The most by which the window grows in an interval once answers were late. It is the same for every server, which
    /// makes their windows alike.
    static let growthPushes = 128
    /// An answer is late if it takes this much longer than an answer without a queue, or half as long again if that is
    /// more.
    static let latenessMilliseconds: UInt64 = 5
    /// The shortest interval. An interval is as long as an answer takes, if that is more.
    static let minimumIntervalMilliseconds: UInt64 = 20
    /// The longest interval. Pushes that were handed out before it are no longer counted.
    static let maximumIntervalMilliseconds = spanMilliseconds * UInt64(spanCount)
    /// While answers are late, a measurement is repeated at the age of this many of the answers that it has measured. A
    /// measurement takes about the duration of one answer, and nearly nothing is sent in it: 2 % of the time.
    static let measurementAgeInAnswers: UInt64 = 50
    /// The lowest age at which a measurement is repeated: twice a second even if answers take a few milliseconds.
    static let minimumMeasurementAgeMilliseconds: UInt64 = 500
    /// The age at which a measurement is repeated at the latest, so that a change of a slow path is found within
    /// seconds.
    static let maximumMeasurementAgeMilliseconds: UInt64 = 5_000
    /// The longest time that bulk stops before a measurement, however long the queue seems to be.
    static let maximumEmptyingMilliseconds: UInt64 = 500
    /// The timeout of a measurement without an answer; twice the time of answers before it, if that is more.
    static let minimumMeasureMilliseconds: UInt64 = 500
    /// The longest timeout of a measurement.
    static let maximumMeasureMilliseconds: UInt64 = 20_000
    /// The milliseconds of a span: pushes are counted by the time at which they were handed out, in `spanCount` spans.
    static let spanMilliseconds: UInt64 = 128
    static let spanCount = 8

    /// The phase of the window: it runs, and now and then empties the queue to measure.
    private enum Phase {
        /// The window bounds the pushes in flight. The next phase is `emptying`.
        case running
        /// The window hands out no push until those in flight have been answered. The next phase is `measuring`.
        case emptying(until: Uptime, measureTimeout: UInt64)
        /// The window hands out a few pushes, to measure how fast they are answered. The next phase is `running`.
        case measuring(since: Uptime, until: Uptime, left: Int)
    }

    /// The number of pushes of the bulk lane that are in flight and were handed out within the last second.
    private(set) var inFlight = 0
    private var inFlightBySpan = Array(repeating: 0, count: spanCount)
    private var latestSpan: UInt64
    /// The number of pushes that may be in flight.
    private(set) var size = initialPushes
    private let maximum: Int
    /// True once answers were late. From then on the window grows by a constant, no longer by a factor.
    private var hasBeenLate = false
    private var phase = Phase.running
    /// True if the window was full since `takeWakeUp` last returned true: connections may have got less than they asked
    /// for.
    private var wasFullSinceWakeUp = false
    /// The last measurement of the time that an answer takes without a queue, and when it was made; nil before the
    /// first answer.
    private var measurement: (milliseconds: UInt64, at: Uptime)?
    // The present interval: the time of its fastest answer, whether the window was full in it, and when it ends.
    private var fastestMilliseconds: UInt64?
    private var wasFull = false
    private var intervalEnd: Uptime

    /// Makes a window of the initial size.
    ///
    /// - Parameter maximum: the largest window.
    init(maximum: Int, at now: Uptime) {
        self.maximum = maximum
        latestSpan = Self.span(of: now)
        intervalEnd = now + Self.minimumIntervalMilliseconds
    }

    /// Returns the number of the span that contains a time.
    private static func span(of time: Uptime) -> UInt64 { time.milliseconds / spanMilliseconds }

    /// Goes to the phase of the present time, and returns the number of pushes that may still be handed out now.
    mutating func updateRoom(at now: Uptime) -> Int {
        advance(to: now)
        switch phase {
        case .running: return max(0, size - inFlight)
        case .emptying: return 0
        case .measuring(_, _, let left): return left
        }
    }

    /// The time at which the pool should ask again; nil while the window runs and has room. By then all answers may be
    /// there, and none would wake the pool.
    var wakeAt: Uptime? {
        switch phase {
        case .running: inFlight < size ? nil : Uptime(milliseconds: (latestSpan + 1) * Self.spanMilliseconds)
        case .emptying(let until, _), .measuring(_, let until, _): until
        }
    }

    /// Counts pushes of the bulk lane that were handed out.
    mutating func pushesHandedOut(_ count: Int, at now: Uptime) {
        advance(to: now)
        inFlight += count
        inFlightBySpan[Int(latestSpan % UInt64(Self.spanCount))] += count
        if case .measuring(let since, let until, let left) = phase {
            phase = .measuring(since: since, until: until, left: max(0, left - count))
        }
        if inFlight >= size {
            wasFull = true
            wasFullSinceWakeUp = true
        }
    }

    /// Counts a push of the bulk lane that came back; `time` is the time at which it was handed out.
    mutating func pushReturned(handedOutAt time: Uptime) {
        let span = Self.span(of: time)
        guard span <= latestSpan, latestSpan - span < UInt64(Self.spanCount) else { return }
        let index = Int(span % UInt64(Self.spanCount))
        guard inFlightBySpan[index] > 0 else { return }
        inFlightBySpan[index] -= 1
        inFlight -= 1
    }

    /// Returns true once after the window was full and became half empty: all connections of the pool may ask for more.
    mutating func takeWakeUp() -> Bool {
        guard wasFullSinceWakeUp, inFlight < size / 2 else { return false }
        wasFullSinceWakeUp = false
        return true
    }

    /// Learns from pushes that the provider has answered; `time` is the time at which the last of them was handed out.
    mutating func providerAnswered(handedOutAt time: Uptime, at now: Uptime) {
        let milliseconds = now.milliseconds(since: time)
        switch phase {
        case .running:
            fastestMilliseconds = min(fastestMilliseconds ?? milliseconds, milliseconds)
        case .emptying:
            break
        case .measuring(let since, _, _):
            // Pushes handed out before were in a queue.
            guard time >= since else { break }
            measurement = (milliseconds, now)
            beginInterval(at: now)
        }
        advance(to: now)
    }

    private mutating func advance(to now: Uptime) {
        forget(at: now)
        switch phase {
        case .running:
            if now >= intervalEnd { evaluate(at: now) }
        case .emptying(let until, let timeout):
            if now >= until { phase = .measuring(since: now, until: now + timeout, left: Self.minimumPushes) }
        case .measuring(_, let until, _):
            // Without an answer nothing is known, and the window is not the cause of the delay.
            if now >= until { beginInterval(at: now) }
        }
    }

    /// Stops counting pushes that were handed out too long ago.
    private mutating func forget(at now: Uptime) {
        let span = Self.span(of: now)
        for _ in 0..<min(span - min(latestSpan, span), UInt64(Self.spanCount)) {
            latestSpan += 1
            let index = Int(latestSpan % UInt64(Self.spanCount))
            inFlight -= inFlightBySpan[index]
            inFlightBySpan[index] = 0
        }
        latestSpan = max(latestSpan, span)
    }

    /// Changes the size at the end of an interval, or begins a measurement.
    private mutating func evaluate(at now: Uptime) {
        guard let fastestMilliseconds else { return }
        let unqueued = min(measurement?.milliseconds ?? fastestMilliseconds, fastestMilliseconds)
        if unqueued == fastestMilliseconds { measurement = (fastestMilliseconds, now) }
        let lateness = fastestMilliseconds - unqueued
        let isLate = lateness > max(Self.latenessMilliseconds, unqueued / 2)
        if wasFull && isLate {
            let age = min(
                max(Self.minimumMeasurementAgeMilliseconds, Self.measurementAgeInAnswers * unqueued),
                Self.maximumMeasurementAgeMilliseconds)
            if now - (measurement?.at ?? now) >= age {
                let timeout = min(
                    max(Self.minimumMeasureMilliseconds, 2 * fastestMilliseconds), Self.maximumMeasureMilliseconds)
                phase = .emptying(
                    until: now + min(lateness, Self.maximumEmptyingMilliseconds), measureTimeout: timeout)
                return
            }
            size = max(Self.minimumPushes, size - size / 8)
            hasBeenLate = true
        } else if wasFull {
            size = min(maximum, size + min(size / 4, hasBeenLate ? Self.growthPushes : .max))
        }
        beginInterval(at: now)
    }

    /// Begins the next interval, and ends a measurement.
    private mutating func beginInterval(at now: Uptime) {
        phase = .running
        intervalEnd =
            now + min(max(Self.minimumIntervalMilliseconds, fastestMilliseconds ?? 0), Self.maximumIntervalMilliseconds)
        fastestMilliseconds = nil
        wasFull = false
    }
}
