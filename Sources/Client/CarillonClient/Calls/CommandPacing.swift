/// The decision whether the event loop waits a moment before it takes the commands of tasks.
///
/// To wake the event loop costs more than a request: two system calls and two switches between threads. If the
/// scheduler lets the loop run for each command although more follow, the loop takes them in intervals.
struct CommandPacing {
    /// The time that the loop waits for more commands, in microseconds.
    static let waitMicroseconds: Int64 = 50
    /// The number of calls under way from which on the loop may wait; with fewer, it takes each command at once.
    static let minimumCalls = 32
    /// The number of small takings in a row, of one or two commands each, after which the loop waits.
    static let maximumSmallTakings = 4

    private var smallTakings = 0
    /// True if the loop waits before it takes the next commands.
    private(set) var isWaiting = false

    /// Records that commands were taken, and decides whether the loop waits before the next ones.
    ///
    /// - Parameter callsUnderWay: the number of calls that have no answer yet.
    mutating func commandsTaken(_ commands: Int, callsUnderWay: Int) {
        guard !isWaiting else {
            isWaiting = commands > 1
            return
        }
        smallTakings = commands <= 2 && callsUnderWay >= Self.minimumCalls ? smallTakings + 1 : 0
        guard smallTakings >= Self.maximumSmallTakings else { return }
        smallTakings = 0
        isWaiting = true
    }
}
