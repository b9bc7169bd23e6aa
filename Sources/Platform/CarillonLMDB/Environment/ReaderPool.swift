import CCarillonLMDB
import Synchronization

/// A pool of read transactions that are reset and wait for their next use.
///
/// `mdb_txn_renew` needs neither memory nor the lock of the reader table, so a lookup of one key stays cheap (lmdb.h,
/// `mdb_txn_reset`). A reset transaction keeps its slot in the reader table but pins no pages.
final class ReaderPool: Sendable {
    /// The most idle transactions that are kept. Any other transaction is freed at its end.
    private static let maximumIdle = 16

    // Safety: with MDB_NOTLS a read transaction belongs to no thread; one at a time uses it (lmdb.h, MDB_NOTLS), and
    // here that is the thread that has taken it out.
    private struct IdleTransactions: @unchecked Sendable {
        var handles: [OpaquePointer] = []
    }

    private let idle = Mutex(IdleTransactions())

    /// Begins a transaction on the newest snapshot, if possible one of the pool.
    func begin(in environment: OpaquePointer) throws(LMDBError) -> OpaquePointer {
        guard let reused = idle.withLock({ $0.handles.popLast().map(UnsharedHandle.init) })?.handle else {
            var handle: OpaquePointer?
            let result = mdb_txn_begin(environment, nil, CUnsignedInt(MDB_RDONLY), &handle)
            try LMDBError.check(result, "mdb_txn_begin")
            guard let handle else { throw LMDBError(.panic, operation: "mdb_txn_begin") }
            return handle
        }
        let result = mdb_txn_renew(reused)
        if result != MDB_SUCCESS { mdb_txn_abort(reused) }
        try LMDBError.check(result, "mdb_txn_renew")
        return reused
    }

    /// Ends a transaction: its pages may be used again.
    func end(_ handle: OpaquePointer) {
        mdb_txn_reset(handle)
        let returned = UnsharedHandle(handle: handle)
        let isKept = idle.withLock { idle in
            guard idle.handles.count < Self.maximumIdle else { return false }
            idle.handles.append(returned.handle)
            return true
        }
        if !isKept { mdb_txn_abort(handle) }
    }

    /// Frees the idle transactions; required before `mdb_env_close`.
    func freeIdle() {
        idle.withLock { idle in
            idle.handles.forEach(mdb_txn_abort)
            idle.handles = []
        }
    }

    // Safety: carries one handle through the lock; only its taker or its giver holds it.
    private struct UnsharedHandle: @unchecked Sendable {
        let handle: OpaquePointer
    }
}
