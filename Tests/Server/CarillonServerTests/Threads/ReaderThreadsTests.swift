import Synchronization
import Testing

@testable import CarillonServer

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

    @Test func `the reads of one client never occupy all threads`() async throws {
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

    @Test func `a read that comes after the end is told so`() async throws {
        let threads = ReaderThreads(threads: 1)
        try await threads.shutDown()
        let log = Log()
        threads.submit(for: "late") { isActive in log.add("active: \(isActive)") }
        await log.wait(for: 1)
        #expect(log.all == ["active: false"])
    }

    @Test func `each thread is prepared before its first read`() async throws {
        let log = Log()
        let threads = ReaderThreads(threads: 1) { log.add("prepared") }
        threads.submit(for: "a") { _ in log.add("one") }
        threads.submit(for: "b") { _ in log.add("two") }
        await log.wait(for: 3)
        #expect(log.all == ["prepared", "one", "two"])
        try await threads.shutDown()
    }

    @Test func `a thread that is always busy pauses between reads`() async throws {
        let log = Log()
        let held = Mutex(true)
        // Each read takes as long as a thread may read without a pause.
        let uptime = Mutex(UInt64(0))
        let threads = ReaderThreads(
            threads: 2,
            uptimeNanoseconds: {
                uptime.withLock { now in
                    now += ReaderPause.readingNanoseconds
                    return now
                }
            }, pause: { log.add("pause") })
        for name in ["one", "two", "three"] {
            threads.submit(for: "greedy") { _ in
                while held.withLock({ $0 }) {}
                log.add(name)
            }
        }
        held.withLock { $0 = false }
        await log.wait(for: 5)
        #expect(log.all == ["one", "pause", "two", "pause", "three"], "no read waits for a pause after the last")
        try await threads.shutDown()
    }
}
