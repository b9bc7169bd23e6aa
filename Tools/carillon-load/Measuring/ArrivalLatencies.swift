/// How long pushes were under way, from when their request was due to their arrival at the simulator.
struct ArrivalLatencies: Sendable {
    private let window: Window
    private let originMicroseconds: UInt64
    private var latencies = Array(repeating: Histogram(), count: LoadOperation.allCases.count)
    private var intervals: [[Histogram]]
    /// Pushes that have arrived.
    private(set) var count: UInt64 = 0
    /// Pushes that the simulator could not keep for us.
    private(set) var lost: UInt64 = 0

    /// `originMicroseconds` is the window's origin in microseconds since 1970.
    init(window: Window, originMicroseconds: UInt64) {
        self.window = window
        self.originMicroseconds = originMicroseconds
        let none = Array(repeating: Histogram(.twoDigits), count: window.intervals)
        intervals = Array(repeating: none, count: LoadOperation.allCases.count)
    }

    /// Adds what has come. A clock behind ours makes no time negative: such a push counts as 0.
    mutating func add(_ news: SimulatorLink.Arrivals) {
        lost += news.lost
        for index in stride(from: 0, to: news.arrivals.count - 1, by: 2) {
            guard let mark = PushMark(number: news.arrivals[index]) else { continue }
            let due = originMicroseconds + mark.due
            let arrived = news.arrivals[index + 1]
            add(mark, nanoseconds: arrived > due ? min(arrived - due, 1 << 40) * 1_000 : 0)
        }
    }

    private mutating func add(_ mark: PushMark, nanoseconds: UInt64) {
        let operation = Int(mark.operation.rawValue)
        count += 1
        latencies[operation].record(nanoseconds)
        guard let interval = window.interval(of: window.origin + mark.due * 1_000) else { return }
        intervals[operation][interval].record(nanoseconds)
    }

    /// What is known of an operation, whose accepted sends spoke of so many devices; of the first `intervals`.
    func endToEnd(_ operation: LoadOperation, addressed: UInt64, intervals count: Int) -> RunResult.EndToEnd {
        RunResult.EndToEnd(
            addressed: addressed,
            latency: latencies[Int(operation.rawValue)],
            latencyOverTime: intervals[Int(operation.rawValue)].prefix(count).map(RunResult.Percentiles.init)
        )
    }
}
