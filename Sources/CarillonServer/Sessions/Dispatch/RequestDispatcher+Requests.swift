import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire

/// Changes and listings: which of them is begun, and when.
extension RequestDispatcher {
    /// Runs a change, and the changes and lookups that follow it, before anything behind them is run.
    func runChanges(_ first: Change, of app: AppID, _ context: RequestContext) {
        var changes = ChangeBatch(runner, of: app, context)
        changes.add(first, context.head)
        runTogether(PointReadBatch(runner, as: .lookup, of: app, context), changes, at: context.now)
    }

    /// Runs point reads and changes that were read together, each kind in one piece. The reads come first: none of them
    /// sees a change that came behind it, and each sees what was answered before it came.
    func runTogether(_ first: PointReadBatch, _ firstChanges: ChangeBatch, at now: Moment) {
        var (reads, changes) = (first, firstChanges)
        while fill(&changes, at: now) + fill(&reads, at: now) > 0 {}
        if changes.isEmpty, !runner.registry.isCurrent { gather(&reads, at: now) }
        guard !hasEnded else { return }
        heldChanges = changes.isEmpty ? nil : changes
        answer(reads)
    }

    /// Submits the changes that waited for the point reads before them.
    func submitHeldChanges() {
        guard let changes = heldChanges.take() else { return }
        changes.refuse(&session)
        let complete = completionHandler()
        changes.submit { complete(.changes($0)) }
    }

    func enqueue(_ listing: Listing, _ context: RequestContext, memoryBefore: Int) {
        let memory = session.requestMemory - memoryBefore
        listings.append(ListingQueue.Entry(listing: listing, context: context, memory: memory))
        startListing()
    }

    /// Begins the next listing, unless one is under way or the client does not take its answers. Otherwise a client
    /// could fill the memory with pages that it does not read, and take the reading threads for itself.
    func startListing() {
        while !hasEnded, listings.canBegin, reserveMemoryForPage() {
            let page = reservePage()
            guard var next = listings.begin(pageBytes: page) else { return }
            next.context.now = Clock.now()
            runner.run(
                next.listing, in: next.context, within: UInt32(clamping: page), reply(to: next.context.id))
        }
    }

    /// Answers what waits with DRAINING: the client's credential is not good any more.
    func refuseWaiting() {
        refusePointReads(.notExecuted)
        heldChanges.take()?.refuseAll(.notExecuted, in: &session)
        for id in listings.removeWaiting() { fail(.notExecuted, id: id) }
    }
}
