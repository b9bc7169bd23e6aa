import CarillonCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// An answer that a thread waits for: to a sweep, whether there is more to do.
///
// Safety: `result` is only touched with `mutex` locked; the pointers never change.
final class Reply: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var result: Result<Bool, RegistryError>?

    init() {
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Gives the answer.
    func set(_ result: Result<Bool, RegistryError>) {
        pthread_mutex_lock(mutex)
        self.result = result
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Waits for the answer.
    func wait() -> Result<Bool, RegistryError> {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result { return result }
            pthread_cond_wait(condition, mutex)
        }
    }
}
