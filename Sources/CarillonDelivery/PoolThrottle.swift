/// Slows a pool down while APNs answers that it is busy, and lets it go soon after.
///
/// Backing off for each recipient alone would still have every recipient of a great fan-out tried once. Time is cut into windows: one
/// in which most answers were busy divides the rate by four, down to a hundredth of what it was; any other doubles it, until it is what
/// it was before. So a storm costs little, and seven good windows end it.
struct PoolThrottle {
    /// Milliseconds of a window.
    static let window: UInt64 = 1_000
    /// Busy answers in one window before the throttle takes hold: a few are no storm.
    static let least = 20
    /// A rate never falls below that many a window.
    static let leastRate = 4

    /// Deliveries of a window, while the throttle holds.
    private(set) var rate: Int?
    /// The throttle is of no use any more.
    private(set) var isOver = false
    private var fullRate = 0
    private var windowStart: UInt64
    private var handed = 0
    private var answers = 0
    private var busy = 0

    /// Begins to count; `now` is uptime in milliseconds.
    init(at now: UInt64) {
        windowStart = now
    }

    /// When the window ends, in uptime.
    var windowEnd: UInt64 { windowStart + Self.window }

    /// Whether nothing more may be handed out in this window.
    var isSpent: Bool { rate.map { handed >= $0 } ?? false }

    /// How many may be handed out now; nil if there is no bound.
    mutating func allowance(at now: UInt64) -> Int? {
        closeWindow(at: now)
        return rate.map { max(0, $0 - handed) }
    }

    /// So many were handed out.
    mutating func handedOut(_ count: Int) {
        handed += count
    }

    /// APNs has answered so many, and of those so many with being busy.
    mutating func answered(_ count: Int, busy: Int, at now: UInt64) {
        closeWindow(at: now)
        answers += count
        self.busy += busy
    }

    private mutating func closeWindow(at now: UInt64) {
        guard now >= windowEnd else { return }
        judge()
        (windowStart, handed, answers, busy) = (now, 0, 0, 0)
    }

    private mutating func judge() {
        let isBusy = busy * 2 > answers
        guard let rate else {
            isOver = !isBusy || busy < Self.least
            if !isOver {
                fullRate = answers
                self.rate = slower(answers)
            }
            return
        }
        // Without answers nothing is known.
        guard answers > 0 else { return }
        self.rate = isBusy ? slower(rate) : min(rate * 2, fullRate)
        isOver = !isBusy && rate * 2 >= fullRate
    }

    private func slower(_ rate: Int) -> Int {
        max(rate / 4, fullRate / 100, Self.leastRate)
    }
}
