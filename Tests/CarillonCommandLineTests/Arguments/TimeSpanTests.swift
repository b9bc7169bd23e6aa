import CarillonCommandLine
import Testing

/// Durations as arguments.
struct TimeSpanTests {
    @Test(
        arguments: [("500ms", 500), ("10", 10_000), ("10s", 10_000), ("5m", 300_000), ("2h", 7_200_000)]
            as [(String, UInt64)])
    func aDurationIsParsed(text: String, milliseconds: UInt64) {
        #expect(TimeSpan(argument: text)?.milliseconds == milliseconds)
        #expect(["", "s", "-1s", "1x", "9999999h"].allSatisfy { TimeSpan(argument: $0) == nil })
    }
}
