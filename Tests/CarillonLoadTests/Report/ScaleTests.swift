import Testing

@testable import carillon_load

/// The axes of charts.
struct ScaleTests {
    @Test func axesHaveRoundTicks() {
        #expect(Scale.linear(to: 1_190) { $0.tick }.ticks.map(\.label) == ["0", "500", "1,000", "1,500"])
        #expect(Scale.linear(to: 0) { $0.tick }.ticks.count >= 2)
        #expect(Scale.seconds(to: 10).ticks.map(\.label) == ["0 s", "2 s", "4 s", "6 s", "8 s", "10 s"])
        #expect(Scale.seconds(to: 3_600).ticks.last?.label == "60 min")
        let times = [
            Scale.nanoseconds(from: 130_000, to: 900_000), Scale.nanoseconds(from: 0, to: 0),
            Scale.nanoseconds(from: 100_000, to: 3e9),
        ]
        #expect(
            times.map { $0.ticks.map(\.label) } == [
                ["100 µs", "200 µs", "500 µs", "1 ms"], ["100 ns", "200 ns", "500 ns", "1 µs"],
                ["100 µs", "1 ms", "10 ms", "100 ms", "1 s"],
            ])
        let percentiles = Scale.percentiles(of: 50_000)
        #expect(percentiles.ticks.map(\.label) == ["50 %", "90 %", "99 %", "99.9 %", "99.99 %"])
        #expect(abs(percentiles.position(99) - 2 / 5) < 1e-9)
        #expect([percentiles.position(100), percentiles.position(0)] == [1, 0])
    }
}
