import CarillonThread
import Testing

/// A lock whose holder can wait for a signal of another thread. A signal that does not arrive lets a test hang until
/// the limit of time.
@Suite(.timeLimit(.minutes(1)))
struct ConditionLockTests {
    /// Numbers that one thread appends and another reads.
    // Safety: `lock` guards the variables.
    private final class SharedNumbers: @unchecked Sendable {
        let lock = ConditionLock()
        var list: [Int] = []
        var isClosed = false
        /// The number of threads that have appended all of their numbers.
        var ended = 0

        /// Reads the numbers until no more come, in the order in which they came.
        func readAll() -> [Int] {
            lock.withLock {
                while !isClosed { lock.wait() }
                return list
            }
        }
    }

    @Test func `a thread that waits sees what was written before the signal`() throws {
        let numbers = SharedNumbers()
        try SystemThread.start(named: "test") {
            for number in 1...3 { numbers.lock.withLock { numbers.list.append(number) } }
            numbers.lock.withLock { numbers.isClosed = true }
            numbers.lock.signalAll()
        }
        #expect(numbers.readAll() == [1, 2, 3])
    }

    @Test func `one thread at a time holds the lock`() throws {
        let numbers = SharedNumbers()
        let threads = 4
        for _ in 1...threads {
            try SystemThread.start(named: "test") {
                for number in 1...1_000 { numbers.lock.withLock { numbers.list.append(number) } }
                // The last access of the thread. Without a lock, some of the numbers would be lost by now.
                numbers.lock.withLock { numbers.ended += 1 }
                numbers.lock.signalAll()
            }
        }
        let count = numbers.lock.withLock {
            while numbers.ended < threads { numbers.lock.wait() }
            return numbers.list.count
        }
        #expect(count == 4_000)
    }

    @Test func `an error while the lock is held releases it`() {
        struct Refused: Error {}
        let lock = ConditionLock()
        #expect(throws: Refused.self) { try lock.withLock { () throws(Refused) in throw Refused() } }
        #expect(lock.withLock { true })
    }

    @Test func `waiting ends at the deadline`() {
        let lock = ConditionLock()
        let began = ContinuousClock.now
        lock.withLock {
            // A spurious wakeup is a signal: only the end of the deadline ends the loop.
            let deadline = ConditionLock.Deadline(afterMilliseconds: 20)
            while lock.wait(until: deadline) {}
        }
        #expect(ContinuousClock.now - began >= .milliseconds(20))
    }

    @Test func `the longest deadline does not overflow`() throws {
        let lock = ConditionLock()
        let wasSignalled = try lock.withLock {
            // It gets the lock, and can signal, once this thread waits.
            try SystemThread.start(named: "test") {
                lock.withLock {}
                lock.signalAll()
            }
            return lock.wait(until: ConditionLock.Deadline(afterMilliseconds: .max))
        }
        #expect(wasSignalled)
    }
}
