import CarillonCore

/// The reduced rate of a pool while the provider answers that it is busy; it is restored soon after.
///
/// A backoff for each recipient is not enough: every recipient of a large fan-out would still be tried once. Time is
/// divided into intervals. An interval in which most answers were busy divides the rate by four, down to a hundredth of
/// the rate at the beginning. Any other interval with answers doubles it, until it is as at the beginning. So an
/// overload costs little, and seven good intervals end it.
///
/// For example, an interval has 4,000 answers, and most of them say that the provider is busy. The next interval may
/// have 1,000 deliveries, and if these are answered busy too, the one after it 250. Then an interval goes well, and the
/// next ones may have 500, 1,000, 2,000 and 4,000.
struct PoolThrottle {
    static let intervalMilliseconds: UInt64 = 1_000
    /// The number of busy answers in one interval at which the throttle takes effect: fewer are no overload.
    static let minimumBusy = 20
    static let minimumDeliveriesPerInterval = 4

    /// The number of deliveries that an interval may have; nil while the throttle has no effect.
    private(set) var deliveriesPerInterval: Int?
    /// True if the throttle can be removed.
    private(set) var isOver = false
    private var fullDeliveriesPerInterval = 0
    private var intervalStart: Uptime
    private var handedOut = 0
    private var answers = 0
    private var busy = 0

    /// Makes a throttle that counts answers, and has no effect yet.
    init(at now: Uptime) {
        intervalStart = now
    }

    var intervalEnd: Uptime { intervalStart + Self.intervalMilliseconds }

    /// True if no more deliveries may be handed out in this interval.
    var isSpent: Bool { deliveriesPerInterval.map { handedOut >= $0 } ?? false }

    /// Ends the interval if its time is over, and returns the number of deliveries that may be handed out now; nil if
    /// there is no bound.
    mutating func updateAllowance(at now: Uptime) -> Int? {
        closeInterval(at: now)
        return deliveriesPerInterval.map { max(0, $0 - handedOut) }
    }

    mutating func deliveriesHandedOut(_ count: Int) {
        handedOut += count
    }

    /// Counts answers of the provider, and the busy answers among them.
    mutating func providerAnswered(_ count: Int, busy: Int, at now: Uptime) {
        closeInterval(at: now)
        answers += count
        self.busy += busy
    }

    private mutating func closeInterval(at now: Uptime) {
        guard now >= intervalEnd else { return }
        evaluate()
        intervalStart = now
        handedOut = 0
        answers = 0
        busy = 0
    }

    /// Judges the interval that is over: lowers the rate if most answers were busy, else doubles it or ends the
    /// throttle.
    private mutating func evaluate() {
        let isBusy = busy * 2 > answers
        guard let deliveriesPerInterval else {
            isOver = !isBusy || busy < Self.minimumBusy
            if !isOver {
                fullDeliveriesPerInterval = answers
                self.deliveriesPerInterval = reduced(answers)
            }
            return
        }
        // Without answers nothing is known.
        guard answers > 0 else { return }
        self.deliveriesPerInterval =
            isBusy ? reduced(deliveriesPerInterval) : min(deliveriesPerInterval * 2, fullDeliveriesPerInterval)
        isOver = !isBusy && deliveriesPerInterval * 2 >= fullDeliveriesPerInterval
    }

    private func reduced(_ count: Int) -> Int {
        max(count / 4, fullDeliveriesPerInterval / 100, Self.minimumDeliveriesPerInterval)
    }
}
