import Testing

@testable import carillon_load

/// The texts of times and numbers in reports.
struct UnitFormatTests {
    @Test(
        arguments: [
            (0, "0 ns"), (999, "999 ns"), (1_000, "1.00 µs"), (843_210, "843 µs"), (999_600, "1.00 ms"),
            (1_270_000, "1.27 ms"),
            (45_600_000, "45.6 ms"), (999_600_000, "1.00 s"), (61_000_000_000, "61.0 s"),
        ] as [(UInt64, String)])
    func `times are shown with three digits`(nanoseconds: UInt64, text: String) {
        #expect(UnitFormat.time(nanoseconds) == text)
    }

    @Test(arguments: [
        (0, "0.00"), (0.0234, "0.023"), (1.5, "1.50"), (12.34, "12.3"), (999.4, "999"), (999.6, "1,000"),
        (1_234_567, "1,234,567"),
        (-1_234, "-1,234"), (Double.nan, "–"), (1e300, "9,000,000,000,000,000,000"),
    ])
    func `numbers are shown in short form`(number: Double, text: String) {
        #expect(number.short == text)
    }
}
