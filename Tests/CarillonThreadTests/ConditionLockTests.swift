import CarillonThread
import Testing

/// A lock whose holder can wait for a signal of another thread.
struct ConditionLockTests {
    /// Numbers that one thread appends and another reads.
    // Safety: `lock` guards `list` and `isClosed`.
    private final class SharedNumbers: @unchecked Sendable {
        let lock = ConditionLock()
        var list: [Int] = []
        var isClosed = false

        /// Reads the numbers until no more come, in the order in which they came.
        func readAll() -> [Int] {
            lock.withLock {
                while !isClosed { lock.wait() }
                return list
            }
        }
    }

    @Test func aThreadThatWaitsSeesWhatWasWrittenBeforeTheSignal() throws {
        let numbers = SharedNumbers()
        try SystemThread.start(named: "test") {
            for number in 1...3 { numbers.lock.withLock { numbers.list.append(number) } }
            numbers.lock.withLock { numbers.isClosed = true }
            numbers.lock.signalAll()
        }
        #expect(numbers.readAll() == [1, 2, 3])
    }

    @Test func oneThreadAtATimeHoldsTheLock() throws {
        let numbers = SharedNumbers()
        for _ in 1...4 {
            try SystemThread.start(named: "test") {
                for _ in 1...1_000 { numbers.lock.withLock { numbers.list.append(1) } }
                numbers.lock.signalAll()
            }
        }
        let count = numbers.lock.withLock {
            while numbers.list.count < 4_000 { numbers.lock.wait() }
            return numbers.list.count
        }
        #expect(count == 4_000)
    }

    @Test func anErrorOfTheBodyGivesTheLockUp() {
        struct Refused: Error {}
        let lock = ConditionLock()
        #expect(throws: Refused.self) { try lock.withLock { () throws(Refused) in throw Refused() } }
        #expect(lock.withLock { true })
    }

    @Test func waitingEndsAtTheDeadline() {
        let lock = ConditionLock()
        let wasSignalled = lock.withLock {
            // A spurious wakeup is a signal: only the end of the deadline ends the loop.
            let deadline = ConditionLock.Deadline(afterMilliseconds: 1)
            while lock.wait(until: deadline) {}
            return false
        }
        #expect(!wasSignalled)
    }

    @Test func theLongestDeadlineDoesNotOverflow() throws {
        let numbers = SharedNumbers()
        try SystemThread.start(named: "test") {
            numbers.lock.withLock { numbers.isClosed = true }
            numbers.lock.signalAll()
        }
        let deadline = ConditionLock.Deadline(afterMilliseconds: .max)
        numbers.lock.withLock {
            while !numbers.isClosed { _ = numbers.lock.wait(until: deadline) }
        }
        #expect(numbers.lock.withLock { numbers.isClosed })
    }
}
