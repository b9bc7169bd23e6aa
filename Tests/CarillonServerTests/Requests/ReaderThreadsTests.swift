import Synchronization
import Testing

@testable import CarillonServer

/// The threads for long reads.
struct ReaderThreadsTests {
    /// The names of the reads that ran, in order, and a way to wait for them.
    private final class Log: Sendable {
        private let names = Mutex<[String]>([])
        private let (ended, continuation) = AsyncStream.makeStream(of: String.self)

        var all: [String] { names.withLock { $0 } }

        func add(_ name: String) {
            names.withLock { $0.append(name) }
            continuation.yield(name)
        }

        func wait(for count: Int) async {
            var left = count
            for await _ in ended {
                left -= 1
                if left == 0 { return }
            }
        }
    }

    @Test func theReadsOfOneClientNeverOccupyAllThreads() async throws {
        let threads = ReaderThreads(threads: 2)
        let log = Log()
        let held = Mutex(true)
        for number in 1...3 {
            threads.submit(for: "greedy") { _ in
                while held.withLock({ $0 }) {}
                log.add("greedy \(number)")
            }
        }
        threads.submit(for: "modest") { _ in log.add("modest") }
        await log.wait(for: 1)
        #expect(log.all == ["modest"], "it did not wait for the three that were there before")
        held.withLock { $0 = false }
        await log.wait(for: 3)
        #expect(log.all == ["modest", "greedy 1", "greedy 2", "greedy 3"])
        try await threads.shutDown()
    }

    @Test func atTheEndEveryReadIsToldOnce() async throws {
        let threads = ReaderThreads(threads: 1)
        try await threads.shutDown()
        let log = Log()
        threads.submit(for: "late") { isActive in log.add("active: \(isActive)") }
        await log.wait(for: 1)
        #expect(log.all == ["active: false"])
    }

    @Test func eachThreadIsPreparedBeforeItsFirstRead() async throws {
        let log = Log()
        let threads = ReaderThreads(threads: 1) { log.add("prepared") }
        threads.submit(for: "a") { _ in log.add("one") }
        threads.submit(for: "b") { _ in log.add("two") }
        await log.wait(for: 3)
        #expect(log.all == ["prepared", "one", "two"])
        try await threads.shutDown()
    }

    @Test func aThreadThatIsAlwaysBusyRestsBetweenReads() async throws {
        let log = Log()
        let held = Mutex(true)
        // Each read takes as long as a thread may read without a rest.
        let uptime = Mutex(UInt64(0))
        let threads = ReaderThreads(
            threads: 2,
            uptime: {
                uptime.withLock { now in
                    now += ReaderRest.readingNanoseconds
                    return now
                }
            }, pause: { log.add("rest") })
        for name in ["one", "two", "three"] {
            threads.submit(for: "greedy") { _ in
                while held.withLock({ $0 }) {}
                log.add(name)
            }
        }
        held.withLock { $0 = false }
        await log.wait(for: 5)
        #expect(log.all == ["one", "rest", "two", "rest", "three"], "no read waits for a rest after the last")
        try await threads.shutDown()
    }
}

/// The times at which a thread for long reads rests.
struct ReaderRestTests {
    /// A read, and the wait before it, in microseconds.
    private struct Read {
        let wait: UInt64
        let length: UInt64
        /// True if other reads wait.
        var othersWait = true
    }

    private func rests(after reads: [Read]) -> [Bool] {
        var (rest, now) = (ReaderRest(), UInt64(1_000_000_000))
        return reads.map { read in
            now += read.wait * 1_000
            let begin = now
            now += read.length * 1_000
            return rest.mustRest(afterReadingFrom: begin, to: now, othersWait: read.othersWait)
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
            rest.mustRest(afterReadingFrom: 10, to: 5, othersWait: true),
            rest.mustRest(afterReadingFrom: 0, to: .max, othersWait: true),
            rest.mustRest(afterReadingFrom: .max, to: .max, othersWait: true),
        ]
        #expect(rests == [false, true, false])
    }
}
