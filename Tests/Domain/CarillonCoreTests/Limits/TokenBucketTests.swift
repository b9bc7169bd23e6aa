import CarillonCore
import Testing

struct TokenBucketTests {
    @Test func `a bucket gives what it holds and refills`() {
        var bucket = TokenBucket(capacity: 2, perSecond: 10, now: 1_000)
        #expect([1_000, 1_000, 1_000].map { bucket.take(at: $0) } == [true, true, false])
        #expect(bucket.millisecondsUntilNext() == 100)
        #expect([1_099, 1_100, 1_100].map { bucket.take(at: $0) } == [false, true, false])
        // The bucket never has more tokens than its capacity.
        #expect([99_000, 99_000, 99_000].map { bucket.take(at: $0) } == [true, true, false])
    }

    @Test func `a bucket keeps fractions of tokens`() {
        var bucket = TokenBucket(capacity: 1, perSecond: 3, now: 0)
        #expect(bucket.take(at: 0) == true)
        #expect(bucket.millisecondsUntilNext() == 334)
        let taken = (1...3_000 as ClosedRange<UInt64>).count { bucket.take(at: Uptime(milliseconds: $0)) }
        #expect(taken == 8)
    }

    @Test func `a clock that goes back or far ahead does not trap`() {
        var bucket = TokenBucket(capacity: .max, perSecond: .max, now: 5_000)
        #expect(bucket.take(at: 0) == true)
        #expect(bucket.take(at: .max) == true)
        #expect(bucket.take(at: .max) == true)
        #expect(bucket.millisecondsUntilNext() == 0)
    }

    @Test func `a bucket without refill has no time of the next token`() {
        var bucket = TokenBucket(capacity: 0, perSecond: 0, now: 0)
        #expect([0, .max].map { bucket.take(at: $0) } == [true, false])
        #expect(bucket.millisecondsUntilNext() == UInt32.max - 1)
    }
}
