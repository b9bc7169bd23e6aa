import CarillonClient
import CarillonCommandLine
import Testing

struct TimestampTextTests {
    @Test(
        arguments: [
            (0, "just now"), (999, "just now"), (1_500, "1.5 s ago"), (90_000, "90 s ago"), (600_000, "10 min ago"),
            (7_200_000, "2 h ago"), (864_000_000, "10 d ago"),
        ] as [(UInt64, String)])
    func `a time is told relative to now`(milliseconds: UInt64, text: String) {
        let now = Timestamp(milliseconds: 1_000_000_000_000)
        #expect(Timestamp(milliseconds: now.milliseconds - milliseconds).relative(to: now) == text)
    }

    @Test func `the time of day is that of UTC`() {
        #expect(Timestamp(text: "2026-07-01T23:03:07.500+02:00")?.timeOfDay == "21:03:07")
        #expect(Timestamp(text: "2026-07-01T00:00:00Z")?.timeOfDay == "00:00:00")
    }

    @Test(
        arguments: [
            ("2026-07-01T12:00:00Z", 1_782_907_200_000), ("1782907200000", 1_782_907_200_000), ("yesterday", nil),
            ("2026-07-01 12:00:00.1239z", 1_782_907_200_123), ("2026-07-01T14:00:00+02:00", 1_782_907_200_000),
            ("2026-07-01t10:30:00-0130", 1_782_907_200_000), ("2026-07-01T14:00:00+02", 1_782_907_200_000),
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00+01:00", nil),
            ("2024-02-29T00:00:00Z", 1_709_164_800_000),
            ("2025-02-29T00:00:00Z", nil), ("2026-13-01T00:00:00Z", nil), ("2026-07-01T24:00:00Z", nil),
            ("2026-07-01T12:00:00", nil), ("2026-07-01T12:00:00.Z", nil), ("2026-07-01T12:00:00Zx", nil),
            ("2000-03-01T00:00:00Z", 951_868_800_000), ("９999", nil), ("", nil),
            ("9999-12-31T23:59:60Z", 253_402_300_800_000),
        ] as [(String, UInt64?)])
    func `a time is read from ISO 8601 or milliseconds`(text: String, milliseconds: UInt64?) {
        #expect(Timestamp(text: text)?.milliseconds == milliseconds)
    }
}
