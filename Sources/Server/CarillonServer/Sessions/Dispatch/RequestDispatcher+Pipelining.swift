import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// Runs the changes and the point reads. Those that follow each other in the input are pipelined: they run together.
///
/// Point reads are answered on one snapshot of the registry that begins after they have come. The registry's writer
/// answers the reads for which that snapshot may be out of date.
extension RequestDispatcher {
    /// Runs a change together with the changes and lookups that follow it. The next request is run after all of them.
    func runChanges(_ first: Change, of app: AppID, in context: RequestContext) {
        var changes = PipelinedChanges(runner, of: app, in: context)
        changes.add(first, head: context.head)
        runTogether(PipelinedPointReads(runner, as: .lookup, of: app, in: context), and: changes, at: context.now)
    }

    /// Runs point reads and changes together with those that follow them in the input: all reads first, then all
    /// changes. So no read sees a change that was sent after it, and each sees every change that was answered before
    /// the read was sent.
    func runTogether(_ firstReads: PipelinedPointReads, and firstChanges: PipelinedChanges, at now: Moment) {
        var reads = firstReads
        var changes = firstChanges
        while extend(&changes, at: now) + extend(&reads, at: now) > 0 {}
        if changes.isEmpty, !runner.registry.isSnapshotCurrent { pipelinePastSends(&reads, at: now) }
        guard !hasEnded else { return }
        waiting.add(changes)
        answer(reads)
    }

    /// Submits the changes that waited for the point reads of the same pipeline.
    func submitWaitingChanges() {
        guard let changes = waiting.takeChanges() else { return }
        changes.refuse(&session)
        let complete = completionHandler()
        changes.submit { complete(.changes($0)) }
    }

    /// Answers the requests that wait with DRAINING: the client's API key or certificate is no longer good.
    func refuseWaiting() {
        for id in waiting.refuse(.credentialWithdrawn, in: &session) { fail(.credentialWithdrawn, id: id) }
    }

    // MARK: Point reads

    /// Answers a point read and the ones that follow it.
    func runPointReads(_ read: PointRead, of app: AppID, in context: RequestContext) {
        var reads = PipelinedPointReads(runner, as: context.head.opcode, of: app, in: context)
        reads.add(read, head: context.head)
        runTogether(reads, and: PipelinedChanges(runner, of: app, in: context), at: context.now)
    }

    /// Looks past SENDs for more point reads, and begins these SENDs. Otherwise, in a mix of both, each read would go
    /// to the writer alone and be answered alone.
    ///
    /// For example, SEND, LOOKUP, SEND, LOOKUP have come: the first LOOKUP is not answered before the second SEND is
    /// begun. Then both LOOKUPs go to the writer as one entry of its queue. No answer differs: a SEND changes no
    /// device, and a point read shows no message whose id the client does not have yet.
    func pipelinePastSends(_ reads: inout PipelinedPointReads, at now: Moment) {
        var sendCount = 0
        while reads.hasRoom, maySendAnother(after: sendCount), runNextSend(at: now) {
            extend(&reads, at: now)
            sendCount += 1
        }
    }

    /// The number of SENDs that may overtake point reads even after the end of the time slice.
    private static let sendsAfterTimeSlice = 4

    /// Returns true if one more SEND may overtake the point reads in front of it.
    private func maySendAnother(after sendCount: Int) -> Bool {
        sendCount < Self.sendsAfterTimeSlice || !turn.isTimeSliceOver(atNanoseconds: Clock.uptimeNanoseconds())
    }

    /// Answers point reads that waited for the output to be sent, or for a turn.
    func continuePointReads() {
        guard waiting.havePointReadsForOutput, !session.mustFlush, reserveMemoryForAnswers(),
            let reads = waiting.takePointReadsForOutput()
        else { return }
        answer(reads)
    }

    /// Answers point reads until a piece of output is full or the time slice is over; keeps the others. Reads that
    /// no snapshot can answer go to the writer.
    func answer(_ reads: PipelinedPointReads) {
        reportPosition()
        var reads = reads
        switch reads.answer(&session, untilNanoseconds: turn.timeSliceEndNanoseconds) {
        case .allAnswered: submitWaitingChanges()
        case .needsWriter: submit(reads)
        case .hasMore:
            waiting.add(.forOutput(reads))
            if !session.mustFlush { waitForTurn() }
        }
    }

    /// Submits the reads to the registry's writer, because no snapshot has every answered change yet.
    func submit(_ reads: PipelinedPointReads) {
        waiting.add(.forWriter(reads))
        let bound = NIOLoopBound(self, eventLoop: loop)
        reads.submit { [loop] results in loop.execute { bound.value.writerAnswered(results) } }
    }

    /// Takes the results of the writer, and answers the reads with them.
    func writerAnswered(_ results: [Result<PointReadResult?, RegistryError>]) {
        // While they waited, the reads may have been forgotten, because the session has ended, or refused, because the
        // client's credential is no longer good.
        guard !hasEnded, var reads = waiting.takePointReadsForWriter() else { return }
        reads.take(results)
        beginTimeSlice()
        if session.mustFlush { waiting.add(.forOutput(reads)) } else { answer(reads) }
        onReadingAllowed?()
    }
}
