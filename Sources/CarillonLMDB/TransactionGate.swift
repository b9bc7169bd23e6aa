#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Admits any number of transactions, and a change of the map only alone.
///
/// lmdb.h, `mdb_env_set_mapsize`: it "may be called at later times if no transactions are active in this process". A
/// waiting change of the map keeps new transactions out, except those of a thread that is inside already: making that
/// thread wait for itself would be a deadlock.
///
// Safety: `openCount`, `isExclusive` and `isBroken` are only touched with `lock` held; the key never changes.
final class TransactionGate: @unchecked Sendable {
    private let lock = ConditionLock()
    /// The transactions that this thread has open in this environment: a `ThreadState`, as the bits of a pointer.
    private let threadKey: pthread_key_t

    private var openCount = 0
    private var isExclusive = false
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
    }

    deinit {
        pthread_key_delete(threadKey)
    }

    /// Admits a transaction, after waiting for a change of the map. A second write on a thread is refused: LMDB would
    /// hang.
    func enter(writing: Bool) throws(LMDBError) {
        let here = threadState
        if writing && here.isWriting { throw LMDBError(.badTransaction, operation: "nested write") }
        let isBroken = lock.withLock {
            while isExclusive && !here.isInside { lock.wait() }
            if !self.isBroken { openCount += 1 }
            return self.isBroken
        }
        if isBroken { throw LMDBError(.panic, operation: "begin") }
        threadState = ThreadState(bits: here.bits + ThreadState.step(writing: writing))
    }

    /// A transaction has ended, on the thread that entered.
    func leave(writing: Bool) {
        threadState = ThreadState(bits: threadState.bits - ThreadState.step(writing: writing))
        let wakes = lock.withLock {
            openCount -= 1
            return isExclusive && openCount == 0
        }
        if wakes { lock.signalAll() }
    }

    /// Runs `body` when no transaction is open and none can begin.
    ///
    /// - Throws: `.badTransaction` if the calling thread has a transaction open.
    func alone<R>(_ operation: String, _ body: () throws(LMDBError) -> R) throws(LMDBError) -> R {
        if threadState.isInside { throw LMDBError(.badTransaction, operation: operation) }
        let isBroken = lock.withLock {
            while isExclusive { lock.wait() }
            isExclusive = true
            while openCount > 0 { lock.wait() }
            return self.isBroken
        }
        defer {
            lock.withLock { isExclusive = false }
            lock.signalAll()
        }
        if isBroken { throw LMDBError(.panic, operation: operation) }
        return try body()
    }

    /// Keeps every later transaction out for good: there is no map to read from.
    func close() {
        lock.withLock { isBroken = true }
    }

    private var threadState: ThreadState {
        get { ThreadState(bits: UInt(bitPattern: pthread_getspecific(threadKey))) }
        // pthread_setspecific fails only when memory for a thread's first value runs out.
        set { _ = pthread_setspecific(threadKey, UnsafeRawPointer(bitPattern: newValue.bits)) }
    }
}
