/// The latencies of pushes, from when their request was due to their arrival at the simulator.
struct ArrivalLatencies: Sendable {
    private let measuredTime: MeasuredTime
    private let loadStartMicroseconds: UInt64
    private var latencies = Array(repeating: LatencyHistogram(), count: LoadOperation.allCases.count)
    private var intervals: [[LatencyHistogram]]
    /// The number of pushes that have arrived.
    private(set) var count: UInt64 = 0
    /// The number of arrivals that the simulator could not store.
    private(set) var lostCount: UInt64 = 0

    /// Makes latencies without arrivals. `loadStartMicroseconds` is the start of the load in microseconds since 1970.
    init(measuredTime: MeasuredTime, loadStartMicroseconds: UInt64) {
        self.measuredTime = measuredTime
        self.loadStartMicroseconds = loadStartMicroseconds
        let none = Array(repeating: LatencyHistogram(.twoDigits), count: measuredTime.intervalCount)
        intervals = Array(repeating: none, count: LoadOperation.allCases.count)
    }

    /// Adds arrivals. A latency that would be negative, because the simulator's clock is behind, counts as 0.
    mutating func add(_ batch: ReportedArrivals) {
        lostCount += batch.lost
        for index in stride(from: 0, to: batch.arrivals.count - 1, by: 2) {
            guard let marker = PushMarker(number: batch.arrivals[index]) else { continue }
            let due = loadStartMicroseconds + marker.dueMicroseconds
            let arrived = batch.arrivals[index + 1]
            add(marker, nanoseconds: arrived > due ? min(arrived - due, 1 << 40) * 1_000 : 0)
        }
    }

    private mutating func add(_ marker: PushMarker, nanoseconds: UInt64) {
        let operation = Int(marker.operation.rawValue)
        count += 1
        latencies[operation].record(nanoseconds)
        guard
            let interval = measuredTime.intervalIndex(
                of: measuredTime.loadStartNanoseconds + marker.dueMicroseconds * 1_000)
        else { return }
        intervals[operation][interval].record(nanoseconds)
    }

    /// Returns what is known of the pushes of an operation.
    ///
    /// - Parameters:
    ///   - addressed: the number of recipients of its accepted sends.
    ///   - count: the number of intervals of the result.
    ///   - seconds: the length of the measured time.
    func pushes(_ operation: LoadOperation, addressed: UInt64, intervals count: Int, seconds: Double)
        -> RunResult.Pushes
    {
        let index = Int(operation.rawValue)
        let length = Double(measuredTime.intervalNanoseconds) / 1e9
        return RunResult.Pushes(
            addressed: addressed,
            arrivedPerSecond: Double(latencies[index].count) / max(seconds, 0.001),
            latency: latencies[index],
            latencyOverTime: LatencySeries(Array(intervals[index].prefix(count)), intervalSeconds: length)
        )
    }
}
