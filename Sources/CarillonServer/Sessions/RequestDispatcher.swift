import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import Logging
import NIOCore

/// Runs the requests of one session: reads them from the client's bytes, and passes their results back to the session.
///
/// Point reads, and changes, that stand one behind the other are collected into a batch and run in one piece. Listings
/// wait in a queue and run one at a time. After a slice of time the other connections of the loop have their turn.
///
/// Confined to the connection's event loop.
final class RequestDispatcher {
    var session: ServerSession
    let events: EventDelivery

    /// Called when a completion was applied during a call of this type: there may be output.
    var onOutput: (() -> Void)?
    /// Called after completions of other threads, or delayed point reads: there may be output, and reading may go on.
    var onProgress: (() -> Void)?

    let dependencies: SessionDependencies
    let runner: RequestRunner
    let logger: Logger
    let channel: any Channel
    let loop: any EventLoop
    /// The client's key or certificate; nil until it is known.
    var credential: Credential?
    private lazy var clientAddress = channel.clientAddress
    private let inbox = CompletionInbox()
    private var unread = ByteBuffer()
    private(set) var hasEnded = false

    // MARK: Memory

    /// The memory that this connection holds of the budget of all.
    var memory: MemoryGate
    /// True while a timer is set that gives back memory.
    var isSettling = false

    // MARK: Turns

    let turns: LoopTurns
    /// True while reading waits: for memory, or until the other connections of the loop have had their turn.
    var isPaused = false
    /// When the others have their turn.
    var sliceEnd = NIODeadline.distantPast
    /// True while the work of a turn is done.
    var hasTurn = false

    // MARK: Requests that wait

    var listings = ListingQueue()
    /// Point reads that wait; reading stops meanwhile.
    var delayed: DelayedPointReads?

    init(_ dependencies: SessionDependencies, channel: any Channel, logger: Logger) {
        self.dependencies = dependencies
        self.channel = channel
        self.logger = logger
        loop = channel.eventLoop
        memory = MemoryGate(dependencies.memory)
        turns = dependencies.turns.value(on: loop) { LoopTurns(on: $0) }
        runner = dependencies.runner
        events = EventDelivery(hub: dependencies.events, runner: runner, loop: loop)
        session = ServerSession(
            limits: dependencies.limits, helloAnswer: dependencies.helloAnswer, now: Clock.now().uptimeMilliseconds)
    }

    /// The session or its channel has ended: nothing more is begun. Completions are still applied.
    func end() {
        hasEnded = true
        unread = ByteBuffer()
        _ = listings.removeWaiting()
        delayed = nil
        events.end()
        memory.close()
    }

    // MARK: Bytes

    /// True if more bytes may be read.
    var mayRead: Bool { session.mayRead && delayed == nil && !isPaused }

    /// True if bytes of the client were not read yet.
    var hasUnreadBytes: Bool { unread.readableBytes > 0 }

    /// Adds bytes of the client.
    func append(_ bytes: ByteBuffer) {
        guard hasUnreadBytes else { return unread = bytes }
        var bytes = bytes
        unread.writeBuffer(&bytes)
    }

    /// Gives back the memory of the bytes that were read.
    func releaseReadBytes() {
        unread.discardReadBytes()
        if unread.readableBytes == 0 && unread.capacity > 65_536 { unread = ByteBuffer() }
    }

    /// Reads and runs the frames that have come, until the session may not read on, its output must be sent, or the slice
    /// of time is over.
    func readFrames(at now: Moment) {
        guard !isPaused, takeTurnOrWait() else { return }
        session.outputPieceBytes = memory.pieceBytes(of: dependencies.limits.outputPieceBytes)
        beginSlice()
        continuePointReads()
        while mayRead, reserveMemoryForRequest() {
            guard NIODeadline.now() < sliceEnd else { return waitForTurn() }
            let memoryBefore = session.requestMemory
            switch readFrame(at: now) {
            case .needMore, .close: return
            case .proceed: break
            case .authenticate(let authentication, let id):
                authenticate(authentication, id: id)
                // Other connections of this client may wait.
                guard takeTurnOrWait() else { return }
            case .pointRead(let read, let app, let context): runPointReads(read, of: app, context)
            case .change(let change, let app, let context): runChanges(change, of: app, context)
            case .listing(let request, let context): enqueue(.registry(request), context, memoryBefore: memoryBefore)
            case .statistics(let query, let context): enqueue(.statistics(query), context, memoryBefore: memoryBefore)
            case .message(.send(let message), let context) where message.isDryRun:
                enqueue(.dryRun(message), context, memoryBefore: memoryBefore)
            case .message(let request, let context):
                runner.run(request, in: context, from: clientAddress, answer(context.id))
            case .subscribeEvents(let subscription, let context): subscribe(subscription, context)
            case .eventCredit(let credit, let context): creditReceived(credit, context)
            case .unsubscribeEvents(let unsubscription, let id): unsubscribe(unsubscription, id: id)
            }
        }
    }

    private func readFrame(at now: Moment) -> ServerSession.Step {
        guard !session.mustFlush else { return .needMore }
        return unread.readWithUnsafeReadableBytes { bytes in
            bytes.isEmpty ? (0, .needMore) : session.received(bytes, at: now)
        }
    }

    /// Adds the requests that have come and continue the batch.
    func fill(_ batch: inout some RequestBatch, at now: Moment) {
        unread.readWithUnsafeReadableBytes { bytes in batch.fill(from: bytes, through: &session, at: now) }
    }

    // MARK: Changes and listings

    /// Submits a change, and those that follow it, before anything behind them is run.
    private func runChanges(_ first: Change, of app: AppID, _ context: RequestContext) {
        var batch = ChangeBatch(runner, of: app, context)
        batch.add(first, context.head)
        fill(&batch, at: context.now)
        batch.refuse(&session)
        let complete = completionHandler()
        batch.submit { complete(.changes($0)) }
    }

    private func enqueue(_ listing: Listing, _ context: RequestContext, memoryBefore: Int) {
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
            runner.run(next.listing, in: next.context, within: UInt32(clamping: page), answer(next.context.id))
        }
    }

    /// Answers what waits with DRAINING: the client's credential is not good any more.
    func refuseWaiting() {
        refusePointReads(.notExecuted)
        for id in listings.removeWaiting() { fail(.notExecuted, id: id) }
    }

    // MARK: Completions

    /// Passes the result of the request `id` from any thread to the session.
    func answer(_ id: UInt64) -> RequestRunner.ResultHandler {
        let complete = completionHandler()
        return { complete(.request(id: id, $0)) }
    }

    /// Passes completions from any thread to the session. Keeps the dispatcher alive: a completion has effects beside
    /// the answer.
    func completionHandler() -> @Sendable (Completion) -> Void {
        let bound = NIOLoopBound(self, eventLoop: loop)
        let (inbox, loop, notifier) = (inbox, loop, runner.notifier)
        return { completion in
            if loop.inEventLoop {
                bound.value.apply(completion)
                bound.value.onOutput?()
            } else if inbox.append(completion) {
                notifier.wake(loop) { bound.value.applyInbox() }
            }
        }
    }

    private func applyInbox() {
        for completion in inbox.removeAll() { apply(completion) }
        onProgress?()
    }

    private func apply(_ completion: Completion) {
        switch completion {
        case .request(let id, .success(let answer)):
            listings.ended(id)
            session.respond(answer, id: id)
        case .request(let id, .failure(let error)):
            listings.ended(id)
            fail(error, id: id)
        case .subscription(let id, .success(let after)):
            session.respond(EncodedAnswer(after, to: SubscribeEventsRequest.self), id: id)
            events.subscribed(id, after: after)
        case .subscription(let id, .failure(let error)):
            events.refused(id)
            fail(error, id: id)
        case .changes(let changes):
            changes.answer(&session, at: Clock.now().uptimeMilliseconds)
            changes.audit(from: clientAddress)
        }
    }

    func fail(_ error: ErrorReply, id: UInt64) {
        session.fail(error, id: id, at: Clock.now().uptimeMilliseconds)
    }
}
