import Testing

@testable import CarillonServer

/// The times at which a thread for long reads pauses.
struct ReaderPauseTests {
    /// A read, and the wait before it, in microseconds.
    private struct Read {
        let wait: UInt64
        let length: UInt64
        var othersWait = true
    }

    private func pauses(after reads: [Read]) -> [Bool] {
        var pause = ReaderPause()
        var now: UInt64 = 1_000_000_000
        return reads.map { read in
            now += read.wait * 1_000
            let begin = now
            now += read.length * 1_000
            return pause.countRead(fromNanoseconds: begin, toNanoseconds: now, othersWait: read.othersWait)
        }
    }

    @Test func `a thread pauses after a millisecond of reading`() {
        #expect(
            pauses(after: [
                Read(wait: 0, length: 400), Read(wait: 1, length: 400), Read(wait: 1, length: 200),
                Read(wait: 1, length: 400),
            ]) == [
                false, false, true, false,
            ])
        #expect(
            pauses(after: [Read(wait: 0, length: 90_000), Read(wait: 1, length: 999), Read(wait: 1, length: 1)]) == [
                true, false, true,
            ])
    }

    @Test func `a thread does not pause if no read waits`() {
        #expect(
            pauses(after: [
                Read(wait: 0, length: 90_000, othersWait: false), Read(wait: 1, length: 1, othersWait: false),
            ]) == [false, false])
        #expect(
            pauses(after: [Read(wait: 0, length: 90_000, othersWait: false), Read(wait: 1, length: 1)]) == [
                false, true,
            ], "what was read counts")
    }

    @Test func `the time that a thread waited for reads counts as pause`() {
        #expect(pauses(after: [Read(wait: 0, length: 900), Read(wait: 249, length: 100)]) == [false, true])
        #expect(pauses(after: [Read(wait: 0, length: 900), Read(wait: 250, length: 100)]) == [false, false])
    }

    @Test func `a clock that stands still or goes back does not trap`() {
        var pause = ReaderPause()
        let pauses = [
            pause.countRead(fromNanoseconds: 10, toNanoseconds: 5, othersWait: true),
            pause.countRead(fromNanoseconds: 0, toNanoseconds: .max, othersWait: true),
            pause.countRead(fromNanoseconds: .max, toNanoseconds: .max, othersWait: true),
        ]
        #expect(pauses == [false, true, false])
    }
}
