/// When the event loop waits a moment before it takes the orders of tasks.
///
/// To wake the event loop costs more than a request: two system calls and two switches between threads. If the
/// scheduler lets the loop run for each order although more follow, the loop takes them in intervals.
struct OrderPacing {
    /// How long the loop waits for more orders, in microseconds.
    static let waitMicroseconds: Int64 = 50
    /// With fewer calls under way each order is taken at once.
    static let minimumCalls = 32
    /// Takings with one or two orders each, one after the other, after which the loop waits.
    static let maximumSmallTakings = 4

    private var smallTakings = 0
    /// True if the loop waits before it takes the next orders.
    private(set) var waits = false

    /// Orders were taken.
    ///
    /// - Parameter callsUnderWay: those that have no answer yet.
    mutating func taken(_ orders: Int, callsUnderWay: Int) {
        guard !waits else {
            waits = orders > 1
            return
        }
        smallTakings = orders <= 2 && callsUnderWay >= Self.minimumCalls ? smallTakings + 1 : 0
        guard smallTakings >= Self.maximumSmallTakings else { return }
        smallTakings = 0
        waits = true
    }
}
