import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire

/// Changes and listings: which of them is begun, and when.
extension RequestDispatcher {
    /// Submits a change, and those that follow it, before anything behind them is run.
    func runChanges(_ first: Change, of app: AppID, _ context: RequestContext) {
        var batch = ChangeBatch(runner, of: app, context)
        batch.add(first, context.head)
        fill(&batch, at: context.now)
        batch.refuse(&session)
        let complete = completionHandler()
        batch.submit { complete(.changes($0)) }
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
        for id in listings.removeWaiting() { fail(.notExecuted, id: id) }
    }
}
