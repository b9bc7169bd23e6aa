import Testing

@testable import apns_simulator

/// The arrival times of pushes that a load test has marked.
struct ArrivalRecorderTests {
    private func record(_ payload: String, at time: Int64, in recorder: inout ArrivalRecorder) {
        Array(payload.utf8).withUnsafeBytes { recorder.record($0, at: time) }
    }

    @Test func `marked pushes are reported once`() {
        var recorder = ArrivalRecorder()
        #expect(!recorder.isWanted)
        #expect(recorder.take(under: "load7").arrivals == [])
        #expect(recorder.isWanted)
        record(#"{"aps":{"alert":"x"},"load7":41}"#, at: 1_000, in: &recorder)
        record(#"{"load7":42,"aps":{}}"#, at: 1_001, in: &recorder)
        let arrived = recorder.take(under: "load7")
        #expect(arrived.arrivals == [.init(number: 41, time: 1_000), .init(number: 42, time: 1_001)])
        #expect(arrived.lostCount == 0)
        #expect(recorder.take(under: "load7").arrivals == [])
    }

    @Test(arguments: [
        #"{"aps":{}}"#, #"{"load8":1}"#, #"{"load7":0}"#, #"{"load7":"1"}"#, #"{"load7":-1}"#, #"{"load7":"#,
        #""load7""#, "",
    ])
    func `pushes without the mark are not reported`(payload: String) {
        var recorder = ArrivalRecorder()
        _ = recorder.take(under: "load7")
        record(payload, at: 1, in: &recorder)
        #expect(recorder.take(under: "load7").arrivals == [])
    }

    @Test func `a number of any length overflows nothing`() {
        var recorder = ArrivalRecorder()
        _ = recorder.take(under: "n")
        record("{\"n\":\(String(repeating: "9", count: 100))}", at: 1, in: &recorder)
        #expect(recorder.take(under: "n").arrivals == [.init(number: 999_999_999_999_999_999, time: 1)])
    }

    @Test func `a new key forgets the arrivals under the old one`() {
        var recorder = ArrivalRecorder()
        _ = recorder.take(under: "a")
        record(#"{"a":1}"#, at: 1, in: &recorder)
        #expect(recorder.take(under: "b").arrivals == [])
        record(#"{"a":1,"b":2}"#, at: 2, in: &recorder)
        #expect(recorder.take(under: "b").arrivals == [.init(number: 2, time: 2)])
    }

    @Test func `arrivals beyond the limit are counted and not kept`() {
        var recorder = ArrivalRecorder()
        _ = recorder.take(under: "a")
        let payload = Array(#"{"a":1}"#.utf8)
        payload.withUnsafeBytes { bytes in
            for _ in 0..<ArrivalRecorder.maximumWaiting + 5 { recorder.record(bytes, at: 1) }
        }
        let arrived = recorder.take(under: "a")
        #expect(arrived.arrivals.count == ArrivalRecorder.maximumWaiting)
        #expect(arrived.lostCount == 5)
    }
}
