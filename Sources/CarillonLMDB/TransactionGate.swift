#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Lets transactions in together, and a change of the map only alone.
///
/// lmdb.h, `mdb_env_set_mapsize`: it "may be called at later times if no transactions are active in this process".
/// A waiting change keeps new transactions out, except those of a thread that is inside already: making that thread
/// wait for itself would be a deadlock.
///
// Safety: `openCount`, `isHeld` and `isBroken` are only touched with `mutex` locked; the pointers never change.
final class TransactionGate: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    /// What this thread has open in this environment: a `ThreadState`, as the bits of a pointer.
    private let threadKey: pthread_key_t

    private var openCount = 0
    private var isHeld = false
    private var isBroken = false

    private struct ThreadState {
        var bits: UInt
        var isInside: Bool { bits > 1 }
        var isWriting: Bool { bits & 1 == 1 }

        /// Bit 0: a write transaction is open; the rest counts open transactions.
        static func step(writing: Bool) -> UInt { writing ? 3 : 2 }
    }

    init() throws(LMDBError) {
        var key = pthread_key_t()
        try LMDBError.check(pthread_key_create(&key, nil), "pthread_key_create")
        threadKey = key
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
        pthread_key_delete(threadKey)
    }

    /// Goes in, waiting for a change of the map to end. A second write on a thread is refused: LMDB would hang.
    func enter(writing: Bool) throws(LMDBError) {
        let here = threadState
        if writing && here.isWriting { throw LMDBError(.badTransaction, operation: "nested write") }
        pthread_mutex_lock(mutex)
        while isHeld && !here.isInside { pthread_cond_wait(condition, mutex) }
        let isBroken = isBroken
        if !isBroken { openCount += 1 }
        pthread_mutex_unlock(mutex)
        if isBroken { throw LMDBError(.panic, operation: "begin") }
        threadState = ThreadState(bits: here.bits + ThreadState.step(writing: writing))
    }

    /// Goes out, on the thread that went in.
    func leave(writing: Bool) {
        threadState = ThreadState(bits: threadState.bits - ThreadState.step(writing: writing))
        pthread_mutex_lock(mutex)
        openCount -= 1
        let wakes = isHeld && openCount == 0
        pthread_mutex_unlock(mutex)
        if wakes { pthread_cond_broadcast(condition) }
    }

    /// Runs `body` when no transaction is open and none can begin.
    ///
    /// - Throws: `.badTransaction` if the calling thread has a transaction open.
    func alone<R>(_ operation: String, _ body: () throws(LMDBError) -> R) throws(LMDBError) -> R {
        if threadState.isInside { throw LMDBError(.badTransaction, operation: operation) }
        pthread_mutex_lock(mutex)
        while isHeld { pthread_cond_wait(condition, mutex) }
        isHeld = true
        while openCount > 0 { pthread_cond_wait(condition, mutex) }
        let isBroken = isBroken
        pthread_mutex_unlock(mutex)
        defer {
            pthread_mutex_lock(mutex)
            isHeld = false
            pthread_mutex_unlock(mutex)
            pthread_cond_broadcast(condition)
        }
        if isBroken { throw LMDBError(.panic, operation: operation) }
        return try body()
    }

    /// Keeps every later transaction out for good: there is no map to read from.
    func close() {
        pthread_mutex_lock(mutex)
        isBroken = true
        pthread_mutex_unlock(mutex)
    }

    private var threadState: ThreadState {
        get { ThreadState(bits: UInt(bitPattern: pthread_getspecific(threadKey))) }
        // pthread_setspecific fails only when memory for a thread's first value runs out.
        set { _ = pthread_setspecific(threadKey, UnsafeRawPointer(bitPattern: newValue.bits)) }
    }
}
