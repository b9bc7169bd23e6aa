import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire

/// Runs the long reads, one at a time.
extension RequestDispatcher {
    func enqueue(_ longRead: LongRead, in context: RequestContext, memoryBefore: Int) {
        let bytes = session.requestMemory - memoryBefore
        waiting.longReads.append(LongReadQueue.Entry(longRead: longRead, context: context, bytes: bytes))
        startLongRead()
    }

    /// Begins the next long read, unless one is running or the client does not take its answers. Otherwise a client
    /// could fill the memory with pages that it does not read, and occupy the threads for long reads.
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
}
