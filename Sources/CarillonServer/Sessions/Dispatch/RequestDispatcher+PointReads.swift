import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// Point reads. They are answered in batches, on one snapshot of the registry that begins after they have come. The
/// registry's writer answers those for which that snapshot may be out of date.
extension RequestDispatcher {
    /// Answers a point read and those that follow it.
    func runPointReads(_ read: PointRead, of app: AppID, _ context: RequestContext) {
        var batch = PointReadBatch(runner, as: context.head.opcode, of: app, context)
        batch.add(read, context.head)
        runTogether(batch, ChangeBatch(runner, of: app, context), at: context.now)
    }

    /// Looks past SENDs for more point reads, and begins these SENDs. Otherwise, in a mix of both, each read would go
    /// to the writer alone and be answered alone.
    func gather(_ batch: inout PointReadBatch, at now: Moment) {
        var sends = 0
        while batch.hasRoom, maySend(after: sends), runNextSend(at: now) {
            fill(&batch, at: now)
            sends += 1
        }
    }

    /// Returns true if one more SEND may be begun before the point reads in front of it: a few at any time, more within
    /// the time slice of the connection.
    private func maySend(after sends: Int) -> Bool { sends < 4 || Clock.uptimeNanoseconds() < sliceEnd }

    /// Answers point reads that waited for the output to be sent.
    func continuePointReads() {
        guard case .forOutput(let batch) = delayed, !session.mustFlush, reserveMemoryForAnswers() else { return }
        delayed = nil
        answer(batch)
    }

    /// Answers the point reads that wait with an error.
    func refusePointReads(_ error: ErrorReply) {
        switch delayed.take() {
        case .forRegistry(var batch), .forOutput(var batch): batch.refuse(error, in: &session)
        case nil: break
        }
    }

    /// Answers point reads until a piece of output is full or the time slice is over; keeps the others. Those that no
    /// snapshot can answer are submitted to the writer then.
    func answer(_ batch: PointReadBatch) {
        reportPosition()
        var batch = batch
        switch batch.answer(&session, until: sliceEnd) {
        case .allAnswered: submitHeldChanges()
        case .needsWriter: submit(batch)
        case .hasMore:
            delayed = .forOutput(batch)
            if !session.mustFlush { waitForTurn() }
        }
    }

    /// Lets the writer make the reads, because answered changes are in no snapshot yet.
    func submit(_ batch: PointReadBatch) {
        delayed = .forRegistry(batch)
        let bound = NIOLoopBound(self, eventLoop: loop)
        batch.submit { [loop] results in loop.execute { bound.value.registryAnswered(results) } }
    }

    /// Takes the results of the writer, and answers the batch with them.
    func registryAnswered(_ results: [Result<PointReadResult?, RegistryError>]) {
        // They may have been refused meanwhile; the session has ended then.
        guard !hasEnded, case .forRegistry(var batch) = delayed.take() else { return }
        batch.read(results)
        beginSlice()
        if session.mustFlush { delayed = .forOutput(batch) } else { answer(batch) }
        onProgress?()
    }
}
