import Testing

@testable import carillon_load

private let second: UInt64 = 1_000_000_000
private let millisecond: UInt64 = 1_000_000

/// The counts of requests by the time at which they were due and answered.
struct LoadCountsTests {
    private let measuredTime = MeasuredTime(
        loadStartNanoseconds: second, warmUpNanoseconds: second, durationNanoseconds: 2 * second)

    @Test func `requests outside the measured time do not count but their answers do`() {
        var counts = LoadCounts(measuredTime: measuredTime)
        let requests = [1.5, 2, 2.5, 3.95, 4].map { seconds in
            let due = UInt64(seconds * 1e9)
            return LoadCounts.PendingRequest(operation: .register, dueNanoseconds: due, sentNanoseconds: due)
        }
        for request in requests {
            counts.requestAnswered(request, atNanoseconds: request.dueNanoseconds + 600 * millisecond, addressed: 1)
        }
        let register = counts[.register]
        #expect(register.answered == 3)
        #expect(register.latency.count == 3)
        #expect(register.addressed == 3)
        // By the time of the answer: those of the warm-up count too, but not those after the end.
        #expect(register.intervals.map(\.answered).reduce(0, +) == 3)
        #expect(register.intervals[1].answered == 1)
        #expect(register.intervals[19].latency.count == 1)
    }

    @Test func `a failed request is counted and has no latency`() {
        var counts = LoadCounts(measuredTime: measuredTime)
        let request = LoadCounts.PendingRequest(
            operation: .sendToken, dueNanoseconds: 2 * second, sentNanoseconds: 2 * second)
        counts.requestFailed(request, atNanoseconds: 2 * second + 5, error: "OVERLOADED")
        counts.requestFailed(request, atNanoseconds: 2 * second + 5, error: "OVERLOADED")
        counts.requestFailed(request, atNanoseconds: 2 * second + 5, error: LoadCounts.connectionLost)
        #expect(counts[.sendToken].errors == ["OVERLOADED": 2, "CONNECTION_LOST": 1])
        #expect(counts[.sendToken].latency.count == 0)
        #expect(counts[.sendToken].intervals[0].failed == 3)
    }

    @Test func `the kinds of errors are bounded and all errors are counted`() {
        var counts = LoadCounts(measuredTime: measuredTime)
        let request = LoadCounts.PendingRequest(
            operation: .sendToken, dueNanoseconds: 2 * second, sentNanoseconds: 2 * second)
        for number in 0..<100 { counts.requestFailed(request, atNanoseconds: 2 * second, error: "ERROR_\(number)") }
        #expect(counts[.sendToken].errors.count <= 65)
        #expect(counts[.sendToken].errors.values.reduce(0, +) == 100)
    }

    @Test func `the counts of two threads are added`() {
        var one = LoadCounts(measuredTime: measuredTime)
        var other = LoadCounts(measuredTime: measuredTime)
        let request = LoadCounts.PendingRequest(
            operation: .lookup, dueNanoseconds: 2 * second, sentNanoseconds: 2 * second + 7)
        one.requestAnswered(request, atNanoseconds: 2 * second + 1_000, addressed: 0)
        one.requestWritten(request, writeDelayNanoseconds: 7)
        other.requestAnswered(request, atNanoseconds: 2 * second + 3_000, addressed: 0)
        other.requestFailed(request, atNanoseconds: 3 * second, error: "STALE")
        other.connectionLost()
        one.add(other)
        #expect(one[.lookup].answered == 2)
        #expect(one[.lookup].latency.maximum == 3_000)
        #expect(one[.lookup].errors == ["STALE": 1])
        #expect(one.writeDelay.count == 1)
        #expect(one.connectionsLost == 1)
        #expect(one[.lookup].intervals[0].answered == 2)
    }
}
