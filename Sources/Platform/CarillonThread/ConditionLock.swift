import Glibc

/// A lock with one condition that threads wait for: a mutex of the system and its condition variable.
///
/// Waiting is only possible inside ``withLock(_:)``, which the compiler does not check.
// Safety: both pointers are made in `init`, never change and are freed in `deinit`; pthreads calls may come from any
// thread.
package final class ConditionLock: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    package init() {
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        // Timeouts are measured by the monotonic clock, which is never set.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    @inlinable
    package func withLock<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        lock()
        defer { unlock() }
        return try body()
    }

    @usableFromInline
    func lock() { pthread_mutex_lock(mutex) }

    @usableFromInline
    func unlock() { pthread_mutex_unlock(mutex) }

    /// Gives up the lock, waits for ``signalAll()`` or a spurious wakeup, and takes the lock again. Check the condition
    /// in a loop.
    package func wait() {
        pthread_cond_wait(condition, mutex)
    }

    /// Waits as ``wait()`` does, but not beyond a deadline; returns false if the deadline has passed.
    package func wait(until deadline: Deadline) -> Bool {
        var time = deadline.time
        return pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT
    }

    /// Wakes all threads that wait. The lock need not be held.
    package func signalAll() {
        pthread_cond_broadcast(condition)
    }

    /// A time of `CLOCK_MONOTONIC`.
    package struct Deadline {
        fileprivate let time: timespec

        /// Makes the time that is `milliseconds` from now.
        package init(afterMilliseconds milliseconds: UInt64) {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            let nanoseconds = time.tv_nsec + Int(milliseconds % 1_000) * 1_000_000
            time.tv_sec += Int(milliseconds / 1_000) + nanoseconds / 1_000_000_000
            time.tv_nsec = nanoseconds % 1_000_000_000
            self.time = time
        }
    }
}
