/// How many pushes of the bulk lane a pool may have on their way, so that they do not stand in a queue.
///
/// Streams alone are no bound: eight connections of a thousand streams fill any path, and what is in flight beyond the path's
/// capacity only waits, in front of a person's push as well. So the window grows while answers come as fast as they can, and shrinks
/// while all of them are late; that is congestion control by delay, as TCP Vegas does it. How fast answers can come is measured
/// without a queue of our own: now and then, while the window is at its bound, bulk rests for a moment (as BBR probes the round-trip
/// time). A push that is not answered within a second counts no more: a connection that is dead must not hold up the others
/// until that is found out. Times are milliseconds of uptime.
struct BulkWindow {
    /// The smallest window.
    static let least = 64
    /// The window at first.
    static let initial = 1_000
    /// Answers may be late by that much, or by half of what they need at best if that is more.
    static let lateness: UInt64 = 5
    /// An interval is an answer's time, or this if that is more.
    static let interval: UInt64 = 20
    /// An interval is not longer: what was handed out before does not count any more.
    static let longestInterval = span * UInt64(spans)
    /// How old the measure of the best answer may be when answers are late.
    static let bestAge: UInt64 = 5_000
    /// A rest is not longer.
    static let rest: UInt64 = 500
    /// A measurement without an answer ends after that time, or after twice what answers needed before, if that is more.
    static let patience: UInt64 = 500
    /// But after that time in any case.
    static let longestPatience: UInt64 = 20_000
    /// Pushes are counted by when they were handed out, in spans of so many milliseconds, as many spans back.
    static let span: UInt64 = 128
    static let spans = 8

    private enum Phase {
        /// The window counts.
        case running
        /// Bulk rests until what is on its way has been answered.
        case resting(until: UInt64, patience: UInt64)
        /// A few are sent: how fast are they answered?
        case measuring(since: UInt64, until: UInt64, left: Int)
    }

    /// Pushes of the bulk lane that are on their way since a short time.
    private(set) var inFlight = 0
    private var inFlightBySpan = Array(repeating: 0, count: spans)
    /// The number of the latest span.
    private var latestSpan: UInt64
    /// How many may be.
    private(set) var size = initial
    private let most: Int
    private var phase = Phase.running
    /// Whether the window was full since others were told to ask.
    private var mayHaveRefused = false
    /// The fastest answer without a queue, and when that was measured.
    private var best: (milliseconds: UInt64, at: UInt64)?
    // Of the interval:
    private var fastest: UInt64?
    private var wasFull = false
    private var intervalEnd: UInt64

    /// - Parameter most: the largest window.
    init(most: Int, at now: UInt64) {
        self.most = most
        latestSpan = now / Self.span
        intervalEnd = now + Self.interval
    }

    /// How many more may be handed out now.
    mutating func room(at now: UInt64) -> Int {
        advance(to: now)
        switch phase {
        case .running: return max(0, size - inFlight)
        case .resting: return 0
        case .measuring(_, _, let left): return left
        }
    }

    /// When to ask again, if there is no room: all answers may be there by then, and nobody else would.
    var wakeAt: UInt64? {
        switch phase {
        case .running: inFlight < size ? nil : (latestSpan + 1) * Self.span
        case .resting(let until, _), .measuring(_, let until, _): until
        }
    }

    /// So many of the bulk lane were handed out.
    mutating func handedOut(_ count: Int, at now: UInt64) {
        advance(to: now)
        inFlight += count
        inFlightBySpan[Int(latestSpan % UInt64(Self.spans))] += count
        if case .measuring(let since, let until, let left) = phase {
            phase = .measuring(since: since, until: until, left: max(0, left - count))
        }
        if inFlight >= size {
            wasFull = true
            mayHaveRefused = true
        }
    }

    /// A push of the bulk lane came back that was handed out at that time.
    mutating func cameBack(handedOutAt time: UInt64) {
        let span = time / Self.span
        guard span <= latestSpan, latestSpan - span < UInt64(Self.spans) else { return }
        let index = Int(span % UInt64(Self.spans))
        guard inFlightBySpan[index] > 0 else { return }
        inFlightBySpan[index] -= 1
        inFlight -= 1
    }

    /// Whether others than who brought pushes back should ask for more; true once after the window was full.
    mutating func takeHalfEmpty() -> Bool {
        guard mayHaveRefused, inFlight < size / 2 else { return false }
        mayHaveRefused = false
        return true
    }

    /// APNs has answered a push that was handed out at that time: of a batch of answers, the one handed out last.
    mutating func answered(handedOutAt time: UInt64, at now: UInt64) {
        let milliseconds = now - min(time, now)
        switch phase {
        case .running:
            fastest = min(fastest ?? milliseconds, milliseconds)
        case .resting:
            break
        case .measuring(let since, _, _):
            // Others were sent while the queue stood.
            guard time >= since else { break }
            best = (milliseconds, now)
            begin(at: now)
        }
        advance(to: now)
    }

    private mutating func advance(to now: UInt64) {
        forget(at: now)
        switch phase {
        case .running:
            if now >= intervalEnd { judge(at: now) }
        case .resting(let until, let patience):
            if now >= until { phase = .measuring(since: now, until: now + patience, left: Self.least) }
        case .measuring(_, let until, _):
            // Nothing is answered: nothing is known, and the window is not what holds it up.
            if now >= until { begin(at: now) }
        }
    }

    /// Counts no more what was handed out too long ago.
    private mutating func forget(at now: UInt64) {
        let span = now / Self.span
        for _ in 0..<min(span - min(latestSpan, span), UInt64(Self.spans)) {
            latestSpan += 1
            let index = Int(latestSpan % UInt64(Self.spans))
            inFlight -= inFlightBySpan[index]
            inFlightBySpan[index] = 0
        }
        latestSpan = max(latestSpan, span)
    }

    private mutating func judge(at now: UInt64) {
        guard let fastest else { return }
        let best = min(best?.milliseconds ?? fastest, fastest)
        if best == fastest { self.best = (fastest, now) }
        let isLate = fastest - best > max(Self.lateness, best / 2)
        if wasFull && isLate {
            if now - (self.best?.at ?? now) >= Self.bestAge {
                let patience = min(max(Self.patience, 2 * fastest), Self.longestPatience)
                phase = .resting(until: now + min(fastest - best, Self.rest), patience: patience)
                return
            }
            size = max(Self.least, size - size / 8)
        } else if wasFull {
            size = min(most, size + size / 4)
        }
        begin(at: now)
    }

    /// Begins the next interval.
    private mutating func begin(at now: UInt64) {
        phase = .running
        intervalEnd = now + min(max(Self.interval, fastest ?? 0), Self.longestInterval)
        fastest = nil
        wasFull = false
    }
}
