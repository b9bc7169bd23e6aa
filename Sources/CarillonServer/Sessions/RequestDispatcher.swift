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
    private let loop: any EventLoop
    /// The client's key or certificate; nil until it is known.
    var credential: Credential?
    private lazy var clientAddress = channel.clientAddress
    private let inbox = CompletionInbox()
    private var input = ByteBuffer()
    private(set) var hasEnded = false

    // MARK: Memory

    /// The memory that this connection holds of the memory budget.
    private var memory: MemoryGate
    /// True while a timer is set that gives back memory.
    private var isSettling = false

    // MARK: Turns

    private let turns: LoopTurns
    /// True while reading waits: for memory, or until the other connections of the loop have had their turn.
    private(set) var isPaused = false
    /// When the others have their turn, in nanoseconds of uptime.
    private var sliceEnd: UInt64 = 0
    /// True while the work of a turn is done.
    private var hasTurn = false

    // MARK: Requests that wait

    var listings = ListingQueue()
    /// Point reads that wait; reading stops meanwhile.
    private var delayed: DelayedPointReads?

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
            limits: dependencies.limits, helloAnswer: dependencies.helloAnswer, now: Clock.uptime())
    }

    /// The session or its channel has ended: nothing more is begun. Completions are still applied.
    func end() {
        hasEnded = true
        input = ByteBuffer()
        _ = listings.removeWaiting()
        delayed = nil
        events.end()
        memory.close()
    }

    // MARK: Bytes

    /// Returns true if the socket is to be read now. Takes the memory for the rest of the incomplete frame; pauses the
    /// reading if there is none.
    func prepareSocketRead() -> Bool { mayRead && channel.isWritable && reserveMemoryForFrame() }

    /// True if more frames may be read.
    var mayRead: Bool { session.mayRead && delayed == nil && !isPaused }

    /// True if bytes of the client wait to be decoded.
    var hasInput: Bool { input.readableBytes > 0 }

    /// Adds bytes of the client.
    func append(_ bytes: ByteBuffer) {
        guard hasInput else { return input = bytes }
        var bytes = bytes
        input.writeBuffer(&bytes)
    }

    /// Gives back the memory of the bytes that were decoded.
    func releaseDecodedBytes() {
        input.discardReadBytes()
        if input.readableBytes == 0 && input.capacity > 65_536 { input = ByteBuffer() }
    }

    /// Reads and runs the frames that have come, until the session may not read on, its output must be sent, or the slice
    /// of time is over.
    func readFrames(at now: Moment) {
        guard !isPaused, takeTurnOrWait() else { return }
        session.outputPieceBytes = memory.pieceBytes(of: dependencies.limits.outputPieceBytes)
        beginSlice()
        continuePointReads()
        while mayRead, reserveMemoryForRequest() {
            guard Clock.uptimeNanoseconds() < sliceEnd else { return waitForTurn() }
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
                runner.run(request, in: context, from: clientAddress, answerHandler(of: context.id))
            case .subscribeEvents(let subscription, let context): subscribe(subscription, context)
            case .eventCredit(let credit, let context): creditReceived(credit, context)
            case .unsubscribeEvents(let unsubscription, let id): unsubscribe(unsubscription, id: id)
            }
        }
    }

    private func readFrame(at now: Moment) -> ServerSession.Step {
        guard !session.mustFlush else { return .needMore }
        return input.readWithUnsafeReadableBytes { bytes in
            bytes.isEmpty ? (0, .needMore) : session.received(bytes, at: now)
        }
    }

    /// Adds the requests that have come and continue the batch.
    private func fill(_ batch: inout some RequestBatch, at now: Moment) {
        input.readWithUnsafeReadableBytes { bytes in batch.fill(from: bytes, through: &session, at: now) }
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
            runner.run(
                next.listing, in: next.context, within: UInt32(clamping: page), answerHandler(of: next.context.id))
        }
    }

    /// Answers what waits with DRAINING: the client's credential is not good any more.
    func refuseWaiting() {
        refusePointReads(.notExecuted)
        for id in listings.removeWaiting() { fail(.notExecuted, id: id) }
    }

    // MARK: Completions

    /// Returns a closure that passes the result of the request `id`, from any thread, to the session.
    func answerHandler(of id: UInt64) -> RequestRunner.ResultHandler {
        let complete = completionHandler()
        return { complete(.request(id: id, $0)) }
    }

    /// Returns a closure that passes completions, from any thread, to the session. It keeps the dispatcher alive: a
    /// completion has effects beside the answer.
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
            changes.answer(&session, at: Clock.uptime())
            changes.audit(from: clientAddress)
        }
    }

    private func fail(_ error: ErrorReply, id: UInt64) {
        session.fail(error, id: id, at: Clock.uptime())
    }
}

/// Point reads. They are answered in batches: on one snapshot of the registry, which begins after they have come, or by
/// its writer while no snapshot shows every answered change.
extension RequestDispatcher {
    /// Answers a point read and those that follow it.
    private func runPointReads(_ read: PointRead, of app: AppID, _ context: RequestContext) {
        var batch = PointReadBatch(runner, of: app, context)
        batch.add(read, context.head)
        fill(&batch, at: context.now)
        answer(batch)
    }

    /// Answers point reads that waited for the output to be sent.
    private func continuePointReads() {
        guard case .forOutput(let batch) = delayed, !session.mustFlush, reserveMemoryForAnswers() else { return }
        delayed = nil
        answer(batch)
    }

    /// Answers the point reads that wait with an error.
    private func refusePointReads(_ error: ErrorReply) {
        switch delayed.take() {
        case .forRegistry(var batch), .forOutput(var batch): batch.refuse(error, in: &session)
        case nil: break
        }
    }

    /// Answers point reads until a piece of output is full or the slice of time is over; keeps the others.
    private func answer(_ batch: PointReadBatch) {
        guard batch.isRead || runner.registry.isCurrent else { return submit(batch) }
        var batch = batch
        guard !batch.answer(&session, until: sliceEnd) else { return }
        delayed = .forOutput(batch)
        if !session.mustFlush { waitForTurn() }
    }

    private func submit(_ batch: PointReadBatch) {
        delayed = .forRegistry(batch)
        let bound = NIOLoopBound(self, eventLoop: loop)
        batch.submit { [loop] results in loop.execute { bound.value.registryAnswered(results) } }
    }

    private func registryAnswered(_ results: [Result<PointReadResult?, RegistryError>]) {
        // They may have been refused meanwhile; the session has ended then.
        guard !hasEnded, case .forRegistry(var batch) = delayed.take() else { return }
        batch.read(results)
        beginSlice()
        if session.mustFlush { delayed = .forOutput(batch) } else { answer(batch) }
        onProgress?()
    }
}

/// The memory of the connection: asks the gate, and stops the reading while it refuses.
extension RequestDispatcher {
    /// The pause until memory is asked for again.
    private static let retry = TimeAmount.milliseconds(250)

    /// What the session holds.
    private var load: MemoryGate.Load {
        MemoryGate.Load(
            requests: session.requestMemory - listings.requestMemory, frame: session.incompleteFrameBytes,
            listings: listings.memory)
    }

    /// Asks the channel for the bytes that were written and that the socket has not taken.
    func measureOutput() {
        // A channel that does not know the option keeps nothing back.
        memory.waitingOutput = Int((try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0)
    }

    /// Takes memory for one more request. Returns false, and pauses the reading, if there is none.
    private func reserveMemoryForRequest() -> Bool {
        pauseUnless(memory.reserveForRequest(beside: load, of: principalName))
    }

    /// Takes memory for answers to requests that were read. Returns false, and pauses the reading, if there is none.
    private func reserveMemoryForAnswers() -> Bool {
        pauseUnless(memory.reserveForAnswers(of: principalName))
    }

    /// Takes memory for the rest of the incomplete frame. Returns false, and pauses the reading, if there is none.
    private func reserveMemoryForFrame() -> Bool {
        guard session.incompleteFrameBytes > 0 else { return true }
        measureOutput()
        return pauseUnless(memory.reserveForFrame(beside: load, of: principalName))
    }

    /// Takes memory for the answers that the client has not taken, so that the next page may be read. Returns false if
    /// the client is too slow, or if there is none.
    private func reserveMemoryForPage() -> Bool {
        guard channel.isWritable else { return false }
        measureOutput()
        return reserveMemoryForAnswers()
    }

    /// Takes memory for a page of the next listing; returns its bytes.
    private func reservePage() -> Int {
        memory.reservePage(of: session.answerBytes, beside: load, of: principalName)
    }

    /// Gives back what is not needed any more; called when something was answered or sent.
    func settleMemory() {
        guard memory.holdsAny else { return }
        measureOutput()
        memory.settle(load)
        // Nothing tells when the socket has taken the output.
        guard memory.holdsAny, !isSettling, !hasEnded else { return }
        isSettling = true
        loop.assumeIsolated().scheduleTask(in: Self.retry) { [self] in
            isSettling = false
            settleMemory()
        }
    }

    private func pauseUnless(_ hasMemory: Bool) -> Bool {
        if !hasMemory { pause(for: Self.retry) }
        return hasMemory
    }
}

/// Pauses of the reading: for a time, or until the other connections of the loop have had their turn.
extension RequestDispatcher {
    /// The name of the client; empty until it is known.
    private var principalName: String { session.principal?.name ?? "" }

    /// A slice of time begins.
    private func beginSlice() { sliceEnd = Clock.uptimeNanoseconds() + LoopTurns.sliceNanoseconds }

    /// Returns true if this client has no other connection that waits for its turn. Otherwise puts this one behind it.
    private func takeTurnOrWait() -> Bool {
        guard !hasTurn, turns.isWaiting(principalName), hasInput else { return true }
        waitForTurn()
        return false
    }

    /// Reads on when the other clients of the loop have had their turn.
    private func waitForTurn() {
        guard !isPaused, !hasEnded else { return }
        isPaused = true
        turns.append(of: principalName) { [self] in
            isPaused = false
            hasTurn = true
            if !hasEnded { onProgress?() }
            hasTurn = false
        }
    }

    /// Reads no further for some time.
    private func pause(for time: TimeAmount) {
        guard !isPaused, !hasEnded else { return }
        isPaused = true
        loop.assumeIsolated().scheduleTask(in: time) { [self] in
            isPaused = false
            if !hasEnded { onProgress?() }
        }
    }
}
