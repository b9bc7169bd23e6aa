import Testing

@testable import carillon_load

/// The axes of charts: where their ticks are, and what stands beside them.
struct ScaleTests {
    private func labels(_ scale: Scale) -> [String] { scale.ticks.map(\.label) }

    @Test func `a linear axis ends with the round number above its highest value`() {
        #expect(labels(.linear(to: 1_190) { $0.tick }) == ["0", "500", "1,000", "1,500"])
    }

    @Test func `a linear axis of zero has ticks`() {
        #expect(labels(.linear(to: 0) { $0.tick }).count >= 2)
    }

    @Test func `an axis of seconds is no longer than its run`() {
        #expect(labels(.seconds(to: 10)) == ["0 s", "2 s", "4 s", "6 s", "8 s", "10 s"])
    }

    @Test func `an axis of a long run has minutes`() {
        #expect(labels(.seconds(to: 3_600)) == ["0 s", "10 min", "20 min", "30 min", "40 min", "50 min", "60 min"])
    }

    @Test(
        arguments: [
            (lowest: 130_000, highest: 900_000, ticks: ["100 µs", "200 µs", "500 µs", "1 ms"]),
            (lowest: 100_000, highest: 3e9, ticks: ["100 µs", "1 ms", "10 ms", "100 ms", "1 s"]),
            (lowest: 0, highest: 0, ticks: ["100 ns", "200 ns", "500 ns", "1 µs"]),
        ] as [(lowest: Double, highest: Double, ticks: [String])])
    func `an axis of nanoseconds has round ticks around all values`(
        _ axis: (lowest: Double, highest: Double, ticks: [String])
    ) {
        #expect(labels(.nanoseconds(from: axis.lowest, to: axis.highest)) == axis.ticks)
    }

    @Test func `an axis of percentiles has as many nines as its values can resolve`() {
        #expect(labels(.percentiles(of: 50_000)) == ["50 %", "90 %", "99 %", "99.9 %", "99.99 %"])
    }

    @Test func `each further nine takes the same width`() {
        let scale = Scale.percentiles(of: 50_000)
        let nines = 5.0
        #expect(scale.position(0) == 0)
        #expect(abs(scale.position(90) - 1 / nines) < 1e-9)
        #expect(abs(scale.position(99) - 2 / nines) < 1e-9)
        #expect(scale.position(100) == 1)
    }
}
