import Testing

@testable import CarillonHTTP2

/// The three forms of a date and the number that `retry-after` may have, and the texts that are ignored.
struct RetryAfterTests {
    private func read(_ text: String) -> RetryAfter? { Array(text.utf8).withUnsafeBytes { RetryAfter($0) } }

    @Test(arguments: [
        ("0", RetryAfter.seconds(0)), ("120", .seconds(120)), ("999999999", .seconds(999_999_999)),
        // The three forms of RFC 9110, section 5.6.7. The year of the third is 26 and not 94, as in the example: two
        // digits are read as a year from 2000 to 2099. The name of the day is not checked.
        ("Sun, 06 Nov 1994 08:49:37 GMT", .date(784_111_777)), ("Sun Nov  6 08:49:37 1994", .date(784_111_777)),
        ("Sunday, 06-Nov-26 08:49:37 GMT", .date(1_793_954_977)),
        ("Tue, 29 Feb 2028 23:59:60 GMT", .date(1_835_481_600)),
        ("Thu, 01 Jan 1970 00:00:00 GMT", .date(0)),
    ])
    func `a number and each form of a date are read`(_ text: String, _ value: RetryAfter) {
        #expect(read(text) == value)
    }

    @Test(arguments: [
        "", " 5", "-1", "1.5", "1234567890", "soon", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:49 GMT", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Now 1994 08:49:37 GMT",
        "Sun, 06 Nov 1969 08:49:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 GMT; and forty bytes more", "Sun Nov 6 1994", ", , , ,",
    ])
    func `a text that is neither number nor date is ignored`(_ text: String) {
        #expect(read(text) == nil)
    }

    @Test func `a date is a wait from now`() {
        let now: UInt64 = 1_000_000_500
        #expect(RetryAfter.seconds(7).milliseconds(atWallMilliseconds: now) == 7_000)
        #expect(RetryAfter.date(1_000_006).milliseconds(atWallMilliseconds: now) == 5_500)
        #expect(RetryAfter.date(1_000_000).milliseconds(atWallMilliseconds: now) == 0)
        // The year 94 of an old form.
        #expect(RetryAfter.date(3_939_871_777).milliseconds(atWallMilliseconds: now) == 0)
        #expect(RetryAfter.date(.max).milliseconds(atWallMilliseconds: now) == 0)
    }
}
