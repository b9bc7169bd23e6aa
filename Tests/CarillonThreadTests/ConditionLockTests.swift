import CarillonThread
import Testing

struct ConditionLockTests {
    /// What two threads share. Safety: `lock` guards `numbers` and `isClosed`.
    private final class Shared: @unchecked Sendable {
        let lock = ConditionLock()
        var numbers: [Int] = []
        var isClosed = false

        /// The numbers until the shared is closed, in the order in which they came.
        func readAll() -> [Int] {
            lock.withLock {
                while !isClosed { lock.wait() }
                return numbers
            }
        }
    }

    @Test func aThreadThatWaitsSeesWhatWasWrittenBeforeTheSignal() throws {
        let shared = Shared()
        try SystemThread.start(named: "test") {
            for number in 1...3 { shared.lock.withLock { shared.numbers.append(number) } }
            shared.lock.withLock { shared.isClosed = true }
            shared.lock.signalAll()
        }
        #expect(shared.readAll() == [1, 2, 3])
    }

    @Test func oneThreadAtATimeHoldsTheLock() throws {
        let shared = Shared()
        for _ in 1...4 {
            try SystemThread.start(named: "test") {
                for _ in 1...1_000 { shared.lock.withLock { shared.numbers.append(1) } }
                shared.lock.signalAll()
            }
        }
        let count = shared.lock.withLock {
            while shared.numbers.count < 4_000 { shared.lock.wait() }
            return shared.numbers.count
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
        let shared = Shared()
        try SystemThread.start(named: "test") {
            shared.lock.withLock { shared.isClosed = true }
            shared.lock.signalAll()
        }
        let deadline = ConditionLock.Deadline(afterMilliseconds: .max)
        shared.lock.withLock {
            while !shared.isClosed { _ = shared.lock.wait(until: deadline) }
        }
        #expect(shared.lock.withLock { shared.isClosed })
    }
}
