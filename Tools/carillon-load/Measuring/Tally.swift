/// What became of a load, or of a part of it.
struct Tally: Sendable {
    /// What became of the requests of one operation.
    struct Operation: Sendable {
        /// From when a request was due to its answer: nanoseconds. Of those that were never answered, what they had waited.
        var latency = Histogram()
        /// From when a request was written to its answer.
        var service = Histogram()
        var answered: UInt64 = 0
        /// Refusals and losses by their name.
        var errors: [String: UInt64] = [:]
        /// Devices that the answers of sends spoke of.
        var addressed: UInt64 = 0
        var intervals: [Interval] = []
    }

    /// One piece of the time.
    struct Interval: Sendable {
        /// Answers that came in it.
        var answered: UInt64 = 0
        /// Refusals and losses that came in it.
        var failed: UInt64 = 0
        /// Latency of the requests that were due in it.
        var latency = Histogram(.twoDigits)
    }

    /// A request that has been sent. Times are nanoseconds of uptime.
    struct Flight {
        var operation: LoadOperation
        /// When it was due; in a closed loop when it was sent.
        var due: UInt64
        var sent: UInt64
    }

    /// The name of what was never answered.
    static let unanswered = "UNANSWERED"
    /// The name of what was under way when its connection ended.
    static let connectionLost = "CONNECTION_LOST"
    /// More names than this are counted as others: they come from the server.
    private static let maxErrors = 64

    var window: Window
    private(set) var operations: [Operation]
    /// How late requests were written although they might have been: the tool's own fault, or the machine's.
    private(set) var lag = Histogram()
    /// How often a connection ended.
    private(set) var connectionsLost: UInt64 = 0

    init(window: Window) {
        self.window = window
        let operation = Operation(intervals: Array(repeating: Interval(), count: window.intervals))
        operations = Array(repeating: operation, count: LoadOperation.allCases.count)
    }

    subscript(_ operation: LoadOperation) -> Operation { operations[Int(operation.rawValue)] }

    /// A request was written `lag` nanoseconds later than it might have been.
    mutating func written(_ flight: Flight, lag: UInt64) {
        if window.interval(of: flight.due) != nil { self.lag.record(lag) }
    }

    /// A request was answered as it should be; a send for so many devices.
    mutating func answered(_ flight: Flight, at now: UInt64, addressed: UInt64) {
        let index = Int(flight.operation.rawValue)
        if let interval = window.interval(of: now) { operations[index].intervals[interval].answered += 1 }
        guard let interval = window.interval(of: flight.due) else { return }
        operations[index].answered += 1
        operations[index].addressed += addressed
        operations[index].latency.record(now - flight.due)
        operations[index].service.record(now - flight.sent)
        operations[index].intervals[interval].latency.record(now - flight.due)
    }

    /// A request was refused, or its connection ended.
    mutating func failed(_ flight: Flight, at now: UInt64, _ name: String) {
        let index = Int(flight.operation.rawValue)
        if let interval = window.interval(of: now) { operations[index].intervals[interval].failed += 1 }
        guard window.interval(of: flight.due) != nil else { return }
        count(name, 1, of: index)
    }

    /// Requests that were due from `first` on, at equal distances up to the end of the load, will never be answered: they
    /// count with what they have waited.
    mutating func abandoned(_ operation: LoadOperation, from first: UInt64, count total: UInt64, at now: UInt64) {
        let first = max(first, window.start)
        guard total > 0, first < window.end else { return }
        let index = Int(operation.rawValue)
        count(Self.unanswered, total, of: index)
        // So many points are as good as all of them, of which there may be any number.
        let points = min(total, 10_000)
        for point in 0..<points {
            let due = first + UInt64(Double(window.end - first) * Double(point) / Double(points))
            let times = total / points + (point < total % points ? 1 : 0)
            let waited = now > due ? now - due : 0
            operations[index].latency.record(waited, times: times)
            if let interval = window.interval(of: due) {
                operations[index].intervals[interval].latency.record(waited, times: times)
            }
        }
    }

    /// A request that was written will never be answered.
    mutating func abandoned(_ flight: Flight, at now: UInt64) {
        guard window.interval(of: flight.due) != nil else { return }
        abandoned(flight.operation, from: flight.due, count: 1, at: now)
    }

    mutating func connectionLost() { connectionsLost += 1 }

    private mutating func count(_ name: String, _ times: UInt64, of index: Int) {
        let isKnown = operations[index].errors[name] != nil || operations[index].errors.count < Self.maxErrors
        operations[index].errors[isKnown ? name : "OTHER", default: 0] += times
    }

    /// Adds what another part of the same load has counted.
    mutating func add(_ other: Tally) {
        for index in operations.indices {
            let theirs = other.operations[index]
            operations[index].latency.add(theirs.latency)
            operations[index].service.add(theirs.service)
            operations[index].answered += theirs.answered
            operations[index].addressed += theirs.addressed
            operations[index].errors.merge(theirs.errors) { $0 + $1 }
            for interval in theirs.intervals.indices {
                operations[index].intervals[interval].answered += theirs.intervals[interval].answered
                operations[index].intervals[interval].failed += theirs.intervals[interval].failed
                operations[index].intervals[interval].latency.add(theirs.intervals[interval].latency)
            }
        }
        lag.add(other.lag)
        connectionsLost += other.connectionsLost
    }
}
