/// The counts and latencies of a load, or of one part of it.
struct LoadCounts: Sendable {
    /// The counts and latencies of one operation.
    struct Operation: Sendable {
        /// The time from when a request was due to its answer, in nanoseconds. An unanswered request counts with the
        /// time that it had waited.
        var latency = LatencyHistogram()
        /// The time from when a request was written to its answer, in nanoseconds.
        var serviceTime = LatencyHistogram()
        var answered: UInt64 = 0
        /// The refusals and losses by name.
        var errors: [String: UInt64] = [:]
        /// The number of recipients of accepted sends.
        var addressed: UInt64 = 0
        var intervals: [Interval] = []
    }

    /// The counts of one interval.
    struct Interval: Sendable {
        /// The number of answers that came in the interval.
        var answered: UInt64 = 0
        /// The number of refusals and losses that came in the interval.
        var failed: UInt64 = 0
        /// The latency of the requests that were due in the interval.
        var latency = LatencyHistogram(.twoDigits)
    }

    /// A request in flight. Its times are of the uptime.
    struct PendingRequest {
        var operation: LoadOperation
        /// The time at which the request was due; in a closed loop, the time at which it was sent.
        var dueNanoseconds: UInt64
        var sentNanoseconds: UInt64
    }

    /// The error name of unanswered requests.
    static let unanswered = "UNANSWERED"
    /// The error name of requests whose connection ended.
    static let connectionLost = "CONNECTION_LOST"
    /// The most error names, which come from the server. The others are counted as `OTHER`.
    private static let maximumErrors = 64

    var measuredTime: MeasuredTime
    private(set) var operations: [Operation]
    /// The delay with which requests were written although there was room. The tool or the machine causes it.
    private(set) var writeDelay = LatencyHistogram()
    private(set) var connectionsLost: UInt64 = 0

    init(measuredTime: MeasuredTime) {
        self.measuredTime = measuredTime
        let operation = Operation(intervals: Array(repeating: Interval(), count: measuredTime.intervalCount))
        operations = Array(repeating: operation, count: LoadOperation.allCases.count)
    }

    /// The number of answers that came in the measured time.
    var answersInTime: UInt64 {
        operations.reduce(0) { $0 + $1.intervals.prefix(measuredTime.intervalCount).reduce(0) { $0 + $1.answered } }
    }

    subscript(_ operation: LoadOperation) -> Operation { operations[Int(operation.rawValue)] }

    /// Counts a request that was written later than possible.
    mutating func requestWritten(_ request: PendingRequest, writeDelayNanoseconds: UInt64) {
        if measuredTime.intervalIndex(of: request.dueNanoseconds) != nil { writeDelay.record(writeDelayNanoseconds) }
    }

    /// Counts a request that was answered successfully. `addressed` is the number of recipients of a send.
    mutating func requestAnswered(_ request: PendingRequest, atNanoseconds now: UInt64, addressed: UInt64) {
        let index = Int(request.operation.rawValue)
        if let interval = measuredTime.intervalIndex(of: now) { operations[index].intervals[interval].answered += 1 }
        guard let interval = measuredTime.intervalIndex(of: request.dueNanoseconds) else { return }
        operations[index].answered += 1
        operations[index].addressed += addressed
        operations[index].latency.record(now - request.dueNanoseconds)
        operations[index].serviceTime.record(now - request.sentNanoseconds)
        operations[index].intervals[interval].latency.record(now - request.dueNanoseconds)
    }

    /// Counts a request that was refused, or whose connection ended.
    mutating func requestFailed(_ request: PendingRequest, atNanoseconds now: UInt64, error name: String) {
        let index = Int(request.operation.rawValue)
        if let interval = measuredTime.intervalIndex(of: now) { operations[index].intervals[interval].failed += 1 }
        guard measuredTime.intervalIndex(of: request.dueNanoseconds) != nil else { return }
        count(name, times: 1, of: index)
    }

    /// Counts requests that were due at equal distances from `first` to the end of the load and will not be answered.
    /// Their latency is the time that they have waited.
    mutating func requestsAbandoned(
        _ operation: LoadOperation, fromNanoseconds first: UInt64, count total: UInt64, atNanoseconds now: UInt64
    ) {
        let first = max(first, measuredTime.startNanoseconds)
        guard total > 0, first < measuredTime.endNanoseconds else { return }
        let index = Int(operation.rawValue)
        count(Self.unanswered, times: total, of: index)
        // 10,000 points are precise enough; the number of requests is not limited.
        let points = min(total, 10_000)
        for point in 0..<points {
            let due = first + UInt64(Double(measuredTime.endNanoseconds - first) * Double(point) / Double(points))
            let times = total / points + (point < total % points ? 1 : 0)
            let waited = now > due ? now - due : 0
            operations[index].latency.record(waited, times: times)
            if let interval = measuredTime.intervalIndex(of: due) {
                operations[index].intervals[interval].latency.record(waited, times: times)
            }
        }
    }

    /// Counts a written request that will not be answered.
    mutating func requestAbandoned(_ request: PendingRequest, atNanoseconds now: UInt64) {
        guard measuredTime.intervalIndex(of: request.dueNanoseconds) != nil else { return }
        requestsAbandoned(request.operation, fromNanoseconds: request.dueNanoseconds, count: 1, atNanoseconds: now)
    }

    mutating func connectionLost() { connectionsLost += 1 }

    private mutating func count(_ name: String, times: UInt64, of index: Int) {
        let isKnown = operations[index].errors[name] != nil || operations[index].errors.count < Self.maximumErrors
        operations[index].errors[isKnown ? name : "OTHER", default: 0] += times
    }

    /// Adds the counts of another part of the same load.
    mutating func add(_ other: LoadCounts) {
        for index in operations.indices {
            let theirs = other.operations[index]
            operations[index].latency.add(theirs.latency)
            operations[index].serviceTime.add(theirs.serviceTime)
            operations[index].answered += theirs.answered
            operations[index].addressed += theirs.addressed
            operations[index].errors.merge(theirs.errors) { $0 + $1 }
            for interval in theirs.intervals.indices {
                operations[index].intervals[interval].answered += theirs.intervals[interval].answered
                operations[index].intervals[interval].failed += theirs.intervals[interval].failed
                operations[index].intervals[interval].latency.add(theirs.intervals[interval].latency)
            }
        }
        writeDelay.add(other.writeDelay)
        connectionsLost += other.connectionsLost
    }
}
