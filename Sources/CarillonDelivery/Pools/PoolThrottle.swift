import CarillonCore

/// The reduced rate of a pool while the provider answers that it is busy; it is restored soon after.
///
/// A backoff for each recipient is not enough: every recipient of a large fan-out would still be tried once. Time is
/// divided into windows. A window in which most answers were busy divides the rate by four, down to a hundredth of the
/// rate at the beginning. Any other window doubles it, until it is as at the beginning. So an overload costs little,
/// and seven good windows end it.
///
/// For example, a window has 4,000 answers, and most of them say that the provider is busy. The next window may have
/// 1,000 deliveries, and if these are answered busy too, the one after it 250. Then a window goes well, and the next
/// ones may have 500, 1,000, 2,000 and 4,000.
struct PoolThrottle {
    static let windowMilliseconds: UInt64 = 1_000
    /// The number of busy answers in one window at which the throttle takes effect: fewer are no overload.
    static let minimumBusy = 20
    /// The least number of deliveries of a window.
    static let minimumDeliveriesPerWindow = 4

    /// The number of deliveries that a window may have; nil while the throttle has no effect.
    private(set) var deliveriesPerWindow: Int?
    /// True if the throttle can be removed.
    private(set) var isOver = false
    private var fullDeliveriesPerWindow = 0
    private var windowStart: Uptime
    private var handedOut = 0
    private var answers = 0
    private var busy = 0

    /// Makes a throttle that counts answers, and has no effect yet.
    init(at now: Uptime) {
        windowStart = now
    }

    /// The time at which the window ends.
    var windowEnd: Uptime { windowStart + Self.windowMilliseconds }

    /// True if no more deliveries may be handed out in this window.
    var isSpent: Bool { deliveriesPerWindow.map { handedOut >= $0 } ?? false }

    /// Ends the window if its time is over, and returns the number of deliveries that may be handed out now; nil if
    /// there is no bound.
    mutating func updateAllowance(at now: Uptime) -> Int? {
        closeWindow(at: now)
        return deliveriesPerWindow.map { max(0, $0 - handedOut) }
    }

    mutating func deliveriesHandedOut(_ count: Int) {
        handedOut += count
    }

    /// Counts answers of the provider, and the busy answers among them.
    mutating func providerAnswered(_ count: Int, busy: Int, at now: Uptime) {
        closeWindow(at: now)
        answers += count
        self.busy += busy
    }

    private mutating func closeWindow(at now: Uptime) {
        guard now >= windowEnd else { return }
        evaluate()
        windowStart = now
        handedOut = 0
        answers = 0
        busy = 0
    }

    private mutating func evaluate() {
        let isBusy = busy * 2 > answers
        guard let deliveriesPerWindow else {
            isOver = !isBusy || busy < Self.minimumBusy
            if !isOver {
                fullDeliveriesPerWindow = answers
                self.deliveriesPerWindow = reduced(answers)
            }
            return
        }
        // Without answers nothing is known.
        guard answers > 0 else { return }
        self.deliveriesPerWindow =
            isBusy ? reduced(deliveriesPerWindow) : min(deliveriesPerWindow * 2, fullDeliveriesPerWindow)
        isOver = !isBusy && deliveriesPerWindow * 2 >= fullDeliveriesPerWindow
    }

    private func reduced(_ count: Int) -> Int {
        max(count / 4, fullDeliveriesPerWindow / 100, Self.minimumDeliveriesPerWindow)
    }
}
