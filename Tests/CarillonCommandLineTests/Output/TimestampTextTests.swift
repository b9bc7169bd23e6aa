import CarillonClient
import CarillonCommandLine
import Testing

/// The texts of times.
struct TimestampTextTests {
    @Test(
        arguments: [
            (0, "just now"), (999, "just now"), (1_500, "1.5 s ago"), (90_000, "90 s ago"), (600_000, "10 min ago"),
            (7_200_000, "2 h ago"), (864_000_000, "10 d ago"),
        ] as [(UInt64, String)])
    func aTimeIsToldRelativeToNow(milliseconds: UInt64, text: String) {
        let now = Timestamp(milliseconds: 1_000_000_000_000)
        #expect(Timestamp(milliseconds: now.milliseconds - milliseconds).relative(to: now) == text)
    }

    @Test func theTimeOfDayIsThatOfUTC() {
        #expect(Timestamp(text: "2026-07-01T23:03:07.500+02:00")?.timeOfDay == "21:03:07")
        #expect(Timestamp(text: "2026-07-01T00:00:00Z")?.timeOfDay == "00:00:00")
    }
}
