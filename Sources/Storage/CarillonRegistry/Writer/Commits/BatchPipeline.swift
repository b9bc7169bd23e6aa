import CarillonCore

/// The submissions that the writer has taken out of the queue and not answered: the batch that is applied, and the work
/// that follows it.
struct BatchPipeline {
    /// The submissions that follow the batch that is applied.
    private enum Following {
        case nothing
        /// The submissions that are not admitted yet: they wait for a commit, or for the record of the batch that is
        /// made of them.
        case dequeued([Submission])
        /// A batch whose record is being appended, or is in the log. A batch without changes needs none.
        case prepared(WriteBatch)
    }

    /// The next step of the writer, when the batch is answered.
    enum Step {
        /// The writer makes a batch of these submissions and appends its record, after a commit if one is due.
        case logBatch([Submission])
        /// The writer waits for the record of the prepared batch, and applies the batch.
        case promotePreparedBatch
    }

    /// The batch that is being applied or answered; a batch without submissions if there is none.
    var batch = WriteBatch.empty
    private var following = Following.nothing

    /// The next step; nil if nothing follows the batch.
    var next: Step? {
        switch following {
        case .nothing: nil
        case .dequeued(let submissions): .logBatch(submissions)
        case .prepared: .promotePreparedBatch
        }
    }

    // MARK: From the queue to the answers

    /// Keeps submissions that were dequeued. Call it only while nothing follows the batch.
    mutating func submissionsDequeued(_ submissions: [Submission]) { following = .dequeued(submissions) }

    /// Forgets the submissions that were dequeued: they are handed to the node of a cluster, or answered.
    mutating func submissionsHandedOver() { following = .nothing }

    /// Replaces the submissions that were dequeued by the batch that was made of them. It is applied now.
    mutating func setBatch(_ batch: WriteBatch) { (self.batch, following) = (batch, .nothing) }

    /// Replaces the submissions that were dequeued by the batch that was made of them. It is applied next.
    mutating func setPreparedBatch(_ batch: WriteBatch) { following = .prepared(batch) }

    /// Records that the log has the record of the prepared batch.
    mutating func recordAppended(_ range: WriteBatch.WALRange) {
        withPrepared { $0.walRange = range }
    }

    /// Records that the log has the record of the prepared batch, and now ends at `position`.
    mutating func recordAppended(through position: WALPosition) {
        withPrepared { $0.walRange?.after = position }
    }

    /// Forgets the batch that is applied now: all of its submissions are answered.
    mutating func batchAnswered() { batch = .empty }

    /// Makes the prepared batch, if there is one, the batch that is applied now.
    mutating func promotePreparedBatch() {
        guard case .prepared(let batch) = following else { return }
        setBatch(batch)
    }

    private mutating func withPrepared(_ body: (inout WriteBatch) -> Void) {
        guard case .prepared(var batch) = following else { return }
        // The batch is changed in place: nothing else refers to its arrays.
        following = .nothing
        body(&batch)
        following = .prepared(batch)
    }

    // MARK: Rollback and failure

    /// The LSN of the first record whose changes are not answered; nil if every batch with a record is answered.
    var firstUnansweredLSN: UInt64? {
        if let range = batch.walRange { return range.after.lsn }
        guard case .prepared(let next) = following else { return nil }
        return next.walRange?.after.lsn
    }

    /// Sets the results of the batches whose records were replayed, by LSN.
    ///
    /// - Returns: the LSN of the record whose replay has not met all changes of its batch: whether they are stored is
    ///   unknown. Nil if there is none.
    mutating func setReplayed(_ results: [UInt64: [WriteBatch.SubmissionResult]]) -> UInt64? {
        if let lsn = batch.setReplayed(results) { return lsn }
        var missing: UInt64?
        withPrepared { missing = $0.setReplayed(results) }
        return missing
    }

    /// Answers everything whose result is not known with the error.
    mutating func fail(_ error: RegistryError) {
        batch.fail(error)
        switch following {
        case .nothing: break
        case .dequeued(let submissions): for submission in submissions { submission.complete(.failure(error)) }
        case .prepared: withPrepared { $0.fail(error) }
        }
    }
}
