import Testing

@testable import apns_simulator

/// The time of a request, by the clock of the simulator.
struct RequestArrivalTests {
    private static let now: Int64 = 1_700_000_000_999

    @Test func `a wrong clock judges a request by its own time`() {
        Array("an id".utf8).withUnsafeBytes { id in
            #expect(RequestArrival(milliseconds: Self.now, id: id).seconds == 1_700_000_000)
            let skewed = RequestArrival(milliseconds: Self.now, skewSeconds: -3_600, id: id)
            #expect(skewed.seconds == 1_699_996_400)
            #expect(skewed.milliseconds == Self.now)
        }
    }
}
