import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire

/// The changes and the long reads: which of them is begun, and when.
extension RequestDispatcher {
    /// Runs a change together with the changes and lookups that follow it. The next request is run after all of them.
    func runChanges(_ first: Change, of app: AppID, in context: RequestContext) {
        var changes = GatheredChanges(runner, of: app, in: context)
        changes.add(first, head: context.head)
        runTogether(GatheredPointReads(runner, as: .lookup, of: app, in: context), and: changes, at: context.now)
    }

    /// Runs point reads and changes that were read together, each kind in one piece. The reads are answered first. So
    /// no read sees a change that was sent after it, and each sees everything that was answered before it was sent.
    func runTogether(_ first: GatheredPointReads, and firstChanges: GatheredChanges, at now: Moment) {
        var (reads, changes) = (first, firstChanges)
        while gather(into: &changes, at: now) + gather(into: &reads, at: now) > 0 {}
        if changes.isEmpty, !runner.registry.isSnapshotCurrent { gatherPastSends(&reads, at: now) }
        guard !hasEnded else { return }
        waiting.add(changes)
        answer(reads)
    }

    /// Submits the changes that waited for the point reads that were gathered with them.
    func submitWaitingChanges() {
        guard let changes = waiting.takeChanges() else { return }
        changes.refuse(&session)
        let complete = completionHandler()
        changes.submit { complete(.changes($0)) }
    }

    func enqueue(_ longRead: LongRead, in context: RequestContext, memoryBefore: Int) {
        let bytes = session.requestMemory - memoryBefore
        waiting.longReads.append(LongReadQueue.Entry(longRead: longRead, context: context, bytes: bytes))
        startLongRead()
    }

    /// Begins the next long read, unless one is under way or the client does not take its answers. Otherwise a client
    /// could fill the memory with pages that it does not read, and take the reading threads for itself.
    func startLongRead() {
        while !hasEnded, waiting.longReads.canBegin, reserveMemoryForPage() {
            let pageBytes = reservePage()
            guard var next = waiting.longReads.begin(pageBytes: pageBytes) else { return }
            next.context.now = Clock.now()
            runner.run(
                next.longRead, in: next.context, withinBytes: UInt32(clamping: pageBytes),
                resultHandler(of: next.context.id))
        }
    }

    /// Answers the requests that wait with DRAINING: the client's API key or certificate is not good any more.
    func refuseWaiting() {
        for id in waiting.refuse(.credentialWithdrawn, in: &session) { fail(.credentialWithdrawn, id: id) }
    }
}
