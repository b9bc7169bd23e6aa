import CarillonThread
import Glibc

/// A gate that admits any number of transactions, and a change of the map only alone.
///
/// lmdb.h, `mdb_env_set_mapsize`: it "may be called at later times if no transactions are active in this process". A
/// change of the map that waits for open transactions keeps new ones out, but not brief reads. Otherwise a thread that
/// must not block would wait for the longest read of all. Brief reads wait only while the map is being changed.
///
/// A thread that has an open transaction is always admitted. Otherwise it would wait for the change of the map, and the
/// change for its open transaction: neither would ever go on.
// Safety: the counts and the flags are only touched with `lock` held; the key never changes.
final class TransactionGate: @unchecked Sendable {
    let lock = ConditionLock()
    /// The key of the transactions that this thread has open in this LMDB environment: a `ThreadState`, as the bits of
    /// a pointer.
    private let threadKey: pthread_key_t

    /// The number of open transactions, without brief reads.
    private var openCount = 0
    private var briefCount = 0
    /// True while a change of the map waits or runs: only brief reads may begin.
    private(set) var isMapChanging = false
    /// True while a change of the map waits for brief reads or runs: no transaction may begin.
    private var isExclusive = false
    private var isBroken = false

    enum Kind {
        case write
        case read
        /// A read of a few keys, which takes microseconds.
        case briefRead
    }

    private struct ThreadState {
        /// Bit 0 is 1 while a write transaction is open. The bits above are the number of open transactions.
        private(set) var bits: UInt

        var hasTransaction: Bool { bits > 1 }
        var isWriting: Bool { bits & 1 == 1 }

        mutating func opened(_ kind: Kind) { bits += Self.increment(for: kind) }
        mutating func closed(_ kind: Kind) { bits -= Self.increment(for: kind) }

        /// Returns the number that an open transaction adds to `bits`: one transaction, and the bit of a write.
        private static func increment(for kind: Kind) -> UInt { kind == .write ? 0b11 : 0b10 }
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
    /// hang (lmdb.h, `mdb_txn_begin`: "a thread may only have a single transaction at a time").
    func enter(_ kind: Kind) throws(LMDBError) {
        var thread = threadState
        if kind == .write && thread.isWriting { throw LMDBError(.badTransaction, operation: "nested write") }
        let isBroken = lock.withLock {
            while !thread.hasTransaction && (kind == .briefRead ? isExclusive : isMapChanging) { lock.wait() }
            if !self.isBroken { add(1, of: kind) }
            return self.isBroken
        }
        if isBroken { throw LMDBError(.panic, operation: "begin") }
        thread.opened(kind)
        threadState = thread
    }

    /// Counts a transaction that has ended, on the thread that entered.
    func leave(_ kind: Kind) {
        threadState.closed(kind)
        let wakes = lock.withLock {
            add(-1, of: kind)
            return isExclusive ? briefCount == 0 && openCount == 0 : isMapChanging && openCount == 0
        }
        if wakes { lock.signalAll() }
    }

    /// Changes the number of open brief reads, or of other open transactions. The lock must be held.
    private func add(_ difference: Int, of kind: Kind) {
        if kind == .briefRead { briefCount += difference } else { openCount += difference }
    }

    /// Runs `body` when no transaction is open and none can begin.
    ///
    /// - Throws: `.badTransaction` if the calling thread has a transaction open.
    func runAlone<R>(_ operation: String, _ body: () throws(LMDBError) -> R) throws(LMDBError) -> R {
        if threadState.hasTransaction { throw LMDBError(.badTransaction, operation: operation) }
        let isBroken = lock.withLock {
            while isMapChanging { lock.wait() }
            isMapChanging = true
            while openCount > 0 { lock.wait() }
            isExclusive = true
            // This waits also for reads that a thread has begun inside a brief read.
            while briefCount > 0 || openCount > 0 { lock.wait() }
            return self.isBroken
        }
        defer {
            lock.withLock { (isMapChanging, isExclusive) = (false, false) }
            lock.signalAll()
        }
        if isBroken { throw LMDBError(.panic, operation: operation) }
        return try body()
    }

    /// Keeps every later transaction out for good: there is no map to read from.
    func refuseAll() {
        lock.withLock { isBroken = true }
    }

    private var threadState: ThreadState {
        get { ThreadState(bits: UInt(bitPattern: pthread_getspecific(threadKey))) }
        // pthread_setspecific fails only when memory for a thread's first value runs out.
        set { _ = pthread_setspecific(threadKey, UnsafeRawPointer(bitPattern: newValue.bits)) }
    }
}
