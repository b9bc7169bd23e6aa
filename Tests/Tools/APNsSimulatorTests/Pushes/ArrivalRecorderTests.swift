import Testing

@testable import apns_simulator

/// The arrival times of pushes that a load test has marked.
struct ArrivalRecorderTests {
    private func note(_ payload: String, at time: Int64, in arrivals: inout ArrivalRecorder) {
        Array(payload.utf8).withUnsafeBytes { arrivals.record($0, at: time) }
    }

    @Test func `marked pushes are reported once`() {
        var arrivals = ArrivalRecorder()
        #expect(!arrivals.isWanted)
        #expect(arrivals.take(under: "load7").arrivals == [])
        #expect(arrivals.isWanted)
        note(#"{"aps":{"alert":"x"},"load7":41}"#, at: 1_000, in: &arrivals)
        note(#"{"load7":42,"aps":{}}"#, at: 1_001, in: &arrivals)
        let arrived = arrivals.take(under: "load7")
        #expect(arrived.arrivals == [.init(number: 41, time: 1_000), .init(number: 42, time: 1_001)])
        #expect(arrived.lostCount == 0)
        #expect(arrivals.take(under: "load7").arrivals == [])
    }

    @Test(arguments: [
        #"{"aps":{}}"#, #"{"load8":1}"#, #"{"load7":0}"#, #"{"load7":"1"}"#, #"{"load7":-1}"#, #"{"load7":"#,
        #""load7""#, "",
    ])
    func `pushes without the mark are not reported`(payload: String) {
        var arrivals = ArrivalRecorder()
        _ = arrivals.take(under: "load7")
        note(payload, at: 1, in: &arrivals)
        #expect(arrivals.take(under: "load7").arrivals == [])
    }

    @Test func `a number of any length overflows nothing`() {
        var arrivals = ArrivalRecorder()
        _ = arrivals.take(under: "n")
        note("{\"n\":\(String(repeating: "9", count: 100))}", at: 1, in: &arrivals)
        #expect(arrivals.take(under: "n").arrivals == [.init(number: 999_999_999_999_999_999, time: 1)])
    }

    @Test func `another key forgets the arrivals of the first`() {
        var arrivals = ArrivalRecorder()
        _ = arrivals.take(under: "a")
        note(#"{"a":1}"#, at: 1, in: &arrivals)
        #expect(arrivals.take(under: "b").arrivals == [])
        note(#"{"a":1,"b":2}"#, at: 2, in: &arrivals)
        #expect(arrivals.take(under: "b").arrivals == [.init(number: 2, time: 2)])
    }

    @Test func `arrivals beyond the limit are counted and not kept`() {
        var arrivals = ArrivalRecorder()
        _ = arrivals.take(under: "a")
        let payload = Array(#"{"a":1}"#.utf8)
        payload.withUnsafeBytes { bytes in
            for _ in 0..<ArrivalRecorder.maximumWaiting + 5 { arrivals.record(bytes, at: 1) }
        }
        let arrived = arrivals.take(under: "a")
        #expect(arrived.arrivals.count == ArrivalRecorder.maximumWaiting)
        #expect(arrived.lostCount == 5)
    }
}
