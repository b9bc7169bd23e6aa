import CCarillonLMDB
import Glibc

/// A write transaction that stays open over many calls.
///
/// It belongs to one thread from its beginning to its end, because LMDB's writer lock does. While it is open no other
/// writer begins, and ``LMDBEnvironment/growMap(to:)`` and ``LMDBEnvironment/copy(to:compacting:)`` wait. Without
/// ``commit()`` it changes nothing.
package final class OpenWriteTransaction {
    private let environment: LMDBEnvironment
    /// True until the transaction is committed or aborted.
    package private(set) var isOpen = true
    /// The transaction, for reads and changes while ``isOpen`` is true.
    package var transaction: WriteTransaction

    /// Begins, after waiting for any other write.
    ///
    /// - Throws: as ``LMDBEnvironment/write(_:)`` at its beginning.
    package init(_ environment: LMDBEnvironment) throws(LMDBError) {
        self.environment = environment
        transaction = WriteTransaction(handle: try environment.beginWrite())
    }

    deinit { abort() }

    /// Commits, durably unless ``LMDBEnvironment/setSyncsCommits(_:)`` says otherwise. The transaction has ended then,
    /// even if this throws.
    ///
    /// - Throws: as the commit of ``LMDBEnvironment/write(_:)``.
    package func commit() throws(LMDBError) {
        guard isOpen else { throw LMDBError(.badTransaction, operation: "commit") }
        isOpen = false
        try environment.commitWrite(transaction.handle)
    }

    /// Aborts the transaction, unless it has ended.
    package func abort() {
        guard isOpen else { return }
        isOpen = false
        environment.abortWrite(transaction.handle)
    }
}
