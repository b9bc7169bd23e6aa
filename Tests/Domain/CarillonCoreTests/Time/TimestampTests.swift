import CarillonCore
import Testing

/// Times beyond the bounds of their numbers.
struct TimestampTests {
    @Test func `a timestamp stops at its bounds`() {
        #expect(Timestamp(milliseconds: .max - 1).later(byMilliseconds: 5).milliseconds == .max)
        #expect(Timestamp(milliseconds: 5).milliseconds(since: Timestamp(milliseconds: 9)) == 0)
        #expect(Timestamp(milliseconds: 9).milliseconds(since: Timestamp(milliseconds: 5)) == 4)
    }
}
