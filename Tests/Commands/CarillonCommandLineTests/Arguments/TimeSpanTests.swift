import CarillonCommandLine
import Testing

/// Durations as arguments.
struct TimeSpanTests {
    @Test(
        arguments: [
            ("90", 90_000), ("90s", 90_000), ("500ms", 500), ("5m", 300_000), ("2h", 7_200_000), ("1d", 86_400_000),
            ("0", 0), ("", nil), ("s", nil), ("-1", nil), ("1.5s", nil), ("5 m", nil), ("99999999999999999999", nil),
            ("18446744073709551615d", nil), ("9999999h", nil), ("1x", nil), ("-1s", nil), ("10s", 10_000),
        ] as [(String, UInt64?)])
    func `a duration is a number with a unit`(text: String, milliseconds: UInt64?) {
        #expect(TimeSpan(argument: text)?.milliseconds == milliseconds)
    }
}
