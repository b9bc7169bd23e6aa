import Testing

@testable import CarillonServer

/// The times at which a thread for long reads rests.
struct ReaderRestTests {
    /// A read, and the wait before it, in microseconds.
    private struct Read {
        let wait: UInt64
        let length: UInt64
        var othersWait = true
    }

    private func rests(after reads: [Read]) -> [Bool] {
        var (rest, now) = (ReaderRest(), UInt64(1_000_000_000))
        return reads.map { read in
            now += read.wait * 1_000
            let begin = now
            now += read.length * 1_000
            return rest.countRead(fromNanoseconds: begin, toNanoseconds: now, othersWait: read.othersWait)
        }
    }

    @Test func aThreadRestsAfterAMillisecondOfReading() {
        #expect(
            rests(after: [
                Read(wait: 0, length: 400), Read(wait: 1, length: 400), Read(wait: 1, length: 200),
                Read(wait: 1, length: 400),
            ]) == [
                false, false, true, false,
            ])
        #expect(
            rests(after: [Read(wait: 0, length: 90_000), Read(wait: 1, length: 999), Read(wait: 1, length: 1)]) == [
                true, false, true,
            ])
    }

    @Test func aThreadDoesNotRestIfNoReadWaits() {
        #expect(
            rests(after: [
                Read(wait: 0, length: 90_000, othersWait: false), Read(wait: 1, length: 1, othersWait: false),
            ]) == [false, false])
        #expect(
            rests(after: [Read(wait: 0, length: 90_000, othersWait: false), Read(wait: 1, length: 1)]) == [
                false, true,
            ], "what was read counts")
    }

    @Test func theTimeThatAThreadWaitedForReadsCountsAsRest() {
        #expect(rests(after: [Read(wait: 0, length: 900), Read(wait: 249, length: 100)]) == [false, true])
        #expect(rests(after: [Read(wait: 0, length: 900), Read(wait: 250, length: 100)]) == [false, false])
    }

    @Test func aClockThatStandsStillOrGoesBackDoesNotTrap() {
        var rest = ReaderRest()
        let rests = [
            rest.countRead(fromNanoseconds: 10, toNanoseconds: 5, othersWait: true),
            rest.countRead(fromNanoseconds: 0, toNanoseconds: .max, othersWait: true),
            rest.countRead(fromNanoseconds: .max, toNanoseconds: .max, othersWait: true),
        ]
        #expect(rests == [false, true, false])
    }
}
