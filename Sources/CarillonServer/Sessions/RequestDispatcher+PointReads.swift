import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// Point reads. They are answered in batches on one snapshot of the registry, which begins after they have come.
extension RequestDispatcher {
    /// Answers a point read and those that follow it. While the snapshot would not show every answered change, it is
    /// delayed.
    func runPointReads(_ read: PointRead, of app: AppID, _ context: RequestContext) {
        guard requestCurrentSnapshot() else {
            delayed = .forSnapshot(read, of: app, context)
            return
        }
        var batch = PointReadBatch(runner, of: app, context)
        batch.add(read, context.head)
        fill(&batch, at: context.now)
        answer(batch)
    }

    /// Answers point reads that waited for the output to be sent, unless they must wait for a snapshot.
    func continuePointReads() {
        guard case .forOutput(let batch) = delayed, !session.mustFlush, reserveMemoryForAnswers(),
            requestCurrentSnapshot()
        else { return }
        delayed = nil
        answer(batch)
    }

    /// Answers the point reads that wait with an error.
    func refusePointReads(_ error: ErrorReply) {
        switch delayed.take() {
        case .forSnapshot(_, _, let context): fail(error, id: context.id)
        case .forOutput(var batch): batch.refuse(error, in: &session)
        case nil: break
        }
    }

    /// Answers point reads until a piece of output is full or the slice of time is over; keeps the others.
    private func answer(_ batch: PointReadBatch) {
        var batch = batch
        guard !batch.answer(&session, until: sliceEnd) else { return }
        delayed = .forOutput(batch)
        if !session.mustFlush { waitForTurn() }
    }

    /// Asks for a snapshot of the registry that shows every answered change. Returns true if there is one; otherwise
    /// `registryCaughtUp` is called as soon as there is.
    private func requestCurrentSnapshot() -> Bool {
        guard !isWaitingForSnapshot else { return false }
        let bound = NIOLoopBound(self, eventLoop: loop)
        let isCurrent = runner.registry.whenCurrent { [loop] in loop.execute { bound.value.registryCaughtUp() } }
        isWaitingForSnapshot = !isCurrent
        return isCurrent
    }

    private func registryCaughtUp() {
        isWaitingForSnapshot = false
        guard !hasEnded else { return }
        beginSlice()
        switch delayed.take() {
        case .forSnapshot(let read, let app, var context):
            // Asks again: other reads may have come meanwhile, behind changes that the registry has answered meanwhile.
            context.now = Clock.now()
            runPointReads(read, of: app, context)
        case .forOutput(let batch) where !session.mustFlush: answer(batch)
        case let other: delayed = other
        }
        onProgress?()
    }
}
