/// A write transaction that is held open over many calls.
///
/// For one thread, from its beginning to its end: LMDB's lock of the writer belongs to it. While it is open nobody else writes, and
/// ``LMDBEnvironment/growMap(to:)`` and ``LMDBEnvironment/copy(to:compacting:)`` wait. Without ``commit()`` it changes nothing.
package final class HeldWrite {
    private let environment: LMDBEnvironment
    private var isOpen = true
    /// What is changed.
    package var transaction: WriteTransaction

    /// Begins, after waiting for any other write.
    ///
    /// - Throws: as ``LMDBEnvironment/write(_:)`` at its beginning.
    package init(_ environment: LMDBEnvironment) throws(LMDBError) {
        self.environment = environment
        transaction = WriteTransaction(handle: try environment.beginWrite())
    }

    deinit { abort() }

    /// Makes everything durable and seen by whoever begins to read; it has ended then, also if this throws.
    ///
    /// - Throws: as the commit of ``LMDBEnvironment/write(_:)``.
    package func commit() throws(LMDBError) {
        guard isOpen else { throw LMDBError(.badTransaction, operation: "commit") }
        isOpen = false
        try environment.commitWrite(transaction.handle)
    }

    /// Gives up what was changed, unless it has ended.
    package func abort() {
        guard isOpen else { return }
        isOpen = false
        environment.abortWrite(transaction.handle)
    }
}
