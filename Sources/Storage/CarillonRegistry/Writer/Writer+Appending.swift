import CarillonClock
import CarillonCore

/// Takes submissions from the queue to the log: the admitted ones make a batch, whose changes are one record.
extension Writer {
    /// Makes a batch of the submissions that were dequeued, appends its record to the log, and waits for it. The
    /// appender must be idle.
    func logBatch(of submissions: [Submission]) throws(WriterError) {
        var batch = try makeAdmittedBatch(of: submissions)
        defer { pipeline.setBatch(batch) }
        guard batch.changeCount > 0 else { return }
        let before = wal.position
        guard options.usesLog else {
            batch.walRange = WriteBatch.WALRange(before: before, after: before)
            return
        }
        guard encodeOrRefuse(&batch) else { return }
        try appendRecord()
        batch.walRange = WriteBatch.WALRange(before: before, after: wal.position)
    }

    /// Makes the next batch, and begins to append its record, if submissions wait and no checkpoint is due. If there is
    /// room for some of them only after a commit, they stay dequeued instead.
    func prepareNextBatch() throws(WriterError) {
        guard let thread = appender.thread else { return }
        try endSyncIfDone()
        guard try !isCheckpointDue() else { return }
        guard let submissions = queue.dequeueIfAny() else { return }
        pipeline.submissionsDequeued(submissions)
        let admission = try decideAdmission()
        guard submissions.allSatisfy({ admission.admits($0.mutation) }) else { return }
        var next = makeBatch(of: submissions, admittedBy: admission)
        defer { pipeline.setPreparedBatch(next) }
        guard next.changeCount > 0, encodeOrRefuse(&next) else { return }
        // The position after the record is known when it was appended.
        next.walRange = WriteBatch.WALRange(before: wal.position, after: wal.position)
        appender.begin(on: thread)
    }

    /// Goes on to the batch that follows the answered one: afterwards its record is in the log. Returns false if no
    /// submission was dequeued.
    func advanceToNextBatch() throws(WriterError) -> Bool {
        switch pipeline.next {
        case .logBatch(let submissions):
            try checkpointIfDue()
            try logBatch(of: submissions)
        case .promotePreparedBatch:
            try awaitPreparedRecord()
            pipeline.promotePreparedBatch()
        case nil: return false
        }
        return true
    }

    /// Waits for the record of the prepared batch, if it is being appended, and runs reads while it waits.
    private func awaitPreparedRecord() throws(WriterError) {
        guard appender.isUnderWay else { return }
        while queue.waitForEndOrReads(of: .append) == .readsCame { try serveReadsAlone() }
        guard try endAppend() == .fileLost else { return }
        try replaceLostLog()
        let before = wal.position
        try appendRecord()
        pipeline.recordAppended(WriteBatch.WALRange(before: before, after: wal.position))
    }

    /// Waits for the record of the next batch, if one is being appended. If the file of the log is lost, a start would
    /// not find the record, so the caller stores the changes without it.
    func endAppend() throws(WriterError) -> WriteAheadLog.AppendResult {
        guard appender.isUnderWay else { return .appended }
        do throws(RegistryError) {
            let result = try appender.endAppend()
            pipeline.recordAppended(through: wal.position)
            return result
        } catch {
            // How much of the record is on the disk is unknown until the next start.
            throw .fatal(error)
        }
    }

    /// Appends the encoded changes to the log, and waits until they are on the disk.
    private func appendRecord() throws(WriterError) {
        while true {
            do throws(RegistryError) {
                if try appender.append() == .appended { return }
            } catch {
                throw .fatal(error)
            }
            // No start would find the record. The changes before it are stored, and it is written again.
            try replaceLostLog()
        }
    }

    /// Encodes the changes of a batch. If a record has no room for them, refuses them and returns false. Batches are
    /// far smaller than the largest record, so this does not happen.
    private func encodeOrRefuse(_ batch: inout WriteBatch) -> Bool {
        if appender.tryToEncode(batch) { return true }
        batch.refuseAll(.overloaded)
        return false
    }

    /// Makes a batch of the submissions that there is room for, after a commit if that makes more room.
    func makeAdmittedBatch(of submissions: [Submission]) throws(WriterError) -> WriteBatch {
        var admission = try decideAdmission()
        if uncommitted != nil, !submissions.allSatisfy({ admission.admits($0.mutation) }) {
            // Pages that were freed since the last commit count from the next one on.
            try checkpoint()
            admission = try decideAdmission()
        }
        return makeBatch(of: submissions, admittedBy: admission)
    }

    /// Makes a batch of the submissions that are admitted and not too late.
    private func makeBatch(of submissions: [Submission], admittedBy admission: SpaceMonitor.Admission) -> WriteBatch {
        let now = uptime()
        var batch = WriteBatch(submissions, startedAtNanoseconds: Clock.uptimeNanoseconds())
        batch.admit(unless: { submission in
            if let deadline = submission.deadline, now > deadline { return .deadline }
            return admission.admits(submission.mutation) ? nil : .storageFull
        })
        return batch
    }
}
