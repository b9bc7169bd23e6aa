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
    let logger: Logger
    /// The client's key or certificate; nil until it is known.
    var credential: Credential?

    let channel: any Channel
    let loop: any EventLoop
    private let turns: LoopTurns
    /// The memory that this connection holds of the budget of all.
    var memory: MemoryAccount
    /// True while reading waits: for memory, or until the other connections of the loop have had their turn.
    var isPaused = false
    /// When the others have their turn.
    private var sliceEnd = NIODeadline.distantPast
    /// True while the work of a turn is done.
    private var hasTurn = false
    /// The bytes of a page of the listing that is read now; 0 if none is.
    var pageBytes = 0
    /// Bytes that were written and that the socket had not taken when it was asked last.
    var waitingOutput = 0
    /// True while a timer is set that gives back memory.
    var isSettling = false
    private(set) var hasEnded = false
    /// The memory of the listings that wait, and of the one that is read.
    private(set) var listingMemory = 0

    private lazy var clientAddress = channel.clientAddress
    private let runner: RequestRunner
    private let inbox = CompletionInbox()
    private var unread = ByteBuffer()
    /// Listings that wait for the answers to those before them, and the one that is read now.
    private var listings = CircularBuffer<QueuedListing>()
    private var currentListing: (id: UInt64, memory: Int)?
    /// Point reads that wait; reading stops meanwhile.
    private var delayed: DelayedPointReads?
    /// True from the moment when the registry was asked for a current snapshot to its answer.
    private var isWaitingForSnapshot = false

    private enum DelayedPointReads {
        /// Until the registry's snapshot shows every answered change.
        case forSnapshot(PointRead, of: AppID, id: UInt64, deadline: UInt64?)
        /// Until the output is sent, or the others have had their turn.
        case forOutput(PointReadBatch)
    }

    private struct QueuedListing {
        var listing: Listing
        var id: UInt64
        var deadline: UInt64?
        /// The most memory that the request takes, in bytes.
        var memory: Int
    }

    init(_ dependencies: SessionDependencies, channel: any Channel, logger: Logger) {
        self.dependencies = dependencies
        self.channel = channel
        self.logger = logger
        loop = channel.eventLoop
        memory = MemoryAccount(dependencies.memory)
        turns = dependencies.turns.value(on: loop) { LoopTurns(on: $0) }
        runner = dependencies.runner
        events = EventDelivery(hub: dependencies.events, runner: runner, loop: loop)
        session = ServerSession(
            limits: dependencies.limits, welcome: dependencies.welcome, now: Clock.now().uptimeMilliseconds)
    }

    /// The session or its channel has ended: nothing more is begun. Completions are still applied.
    func end() {
        hasEnded = true
        unread = ByteBuffer()
        listings.removeAll()
        delayed = nil
        events.end()
        memory.close()
    }

    // MARK: Bytes

    /// True if more bytes may be read.
    var mayRead: Bool { session.mayRead && delayed == nil && !isPaused }

    /// Adds bytes of the client.
    func append(_ bytes: ByteBuffer) {
        guard unread.readableBytes > 0 else { return unread = bytes }
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
        session.outputPieceBytes = pieceBytes
        sliceEnd = NIODeadline.now() + LoopTurns.slice
        continuePointReads()
        while mayRead, reserveMemoryForRequests() {
            guard NIODeadline.now() < sliceEnd else { return waitForTurn() }
            let memoryBefore = session.requestMemory
            switch readFrame(at: now) {
            case .needMore, .close: return
            case .proceed: break
            case .authenticate(let authentication, let id):
                authenticate(authentication, id: id)
                // Other connections of this client may wait.
                guard takeTurnOrWait() else { return }
            case .pointRead(let read, let app, let id, let deadline):
                runPointReads(read, of: app, id: id, deadline: deadline, at: now)
            case .change(let change, let app, let opcode, let id, let deadline):
                runChanges(change, of: app, opcode: opcode, id: id, deadline: deadline, at: now)
            case .listing(let request, let id, let deadline):
                enqueue(.registry(request), id: id, deadline: deadline, memoryBefore: memoryBefore)
            case .statistics(let query, let id, let deadline):
                enqueue(.statistics(query), id: id, deadline: deadline, memoryBefore: memoryBefore)
            case .message(.send(let message), let id, let deadline) where message.isDryRun:
                enqueue(.dryRun(message), id: id, deadline: deadline, memoryBefore: memoryBefore)
            case .message(let request, let id, let deadline):
                run(request, id: id, deadline: deadline, at: now)
            case .subscribeEvents(let subscription, let id, let deadline):
                subscribe(subscription, id: id, deadline: deadline, at: now)
            case .eventCredit(let credit, let id): creditReceived(credit, id: id)
            case .unsubscribeEvents(let unsubscription, let id): unsubscribe(unsubscription, id: id)
            }
        }
    }

    /// Returns true if this client has no other connection that waits for its turn. Otherwise puts this one behind it.
    private func takeTurnOrWait() -> Bool {
        guard !hasTurn, turns.isWaiting(owner), unread.readableBytes > 0 else { return true }
        waitForTurn()
        return false
    }

    /// Reads on when the other clients of the loop have had their turn.
    private func waitForTurn() {
        guard !isPaused, !hasEnded else { return }
        isPaused = true
        turns.append(of: owner) { [self] in
            isPaused = false
            hasTurn = true
            if !hasEnded { onProgress?() }
            hasTurn = false
        }
    }

    private func readFrame(at now: Moment) -> ServerSession.Step {
        guard !session.mustFlush else { return .needMore }
        return unread.readWithUnsafeReadableBytes { bytes in
            bytes.isEmpty ? (0, .needMore) : session.received(bytes, at: now)
        }
    }

    // MARK: Batches

    /// Answers a point read, and those that follow it, on one snapshot of the registry, which begins after they have
    /// come.
    ///
    /// While the snapshot would not show every answered change, the point read is delayed.
    private func runPointReads(_ read: PointRead, of app: AppID, id: UInt64, deadline: UInt64?, at now: Moment) {
        if requestCurrentSnapshot() {
            answerPointReads(read, of: app, id: id, deadline: deadline, at: now)
        } else {
            delayed = .forSnapshot(read, of: app, id: id, deadline: deadline)
        }
    }

    private func answerPointReads(_ read: PointRead, of app: AppID, id: UInt64, deadline: UInt64?, at now: Moment) {
        guard let principal = session.principal else { return }
        var batch = PointReadBatch(runner, for: principal, opcode: read.opcode, app: app, at: now)
        batch.add(read, id: id, deadline: deadline)
        fill(&batch, at: now)
        answer(batch)
    }

    /// Answers point reads that waited for the output to be sent, unless they must wait for a snapshot.
    private func continuePointReads() {
        guard case .forOutput(let batch) = delayed, !session.mustFlush, reserveMemoryForAnswers(),
            requestCurrentSnapshot()
        else { return }
        delayed = nil
        answer(batch)
    }

    /// Answers point reads until a piece of output is full or the slice of time is over; keeps the others.
    private func answer(_ batch: PointReadBatch) {
        var batch = batch
        guard !batch.answer(&session, until: sliceEnd) else { return }
        delayed = .forOutput(batch)
        if !session.mustFlush { waitForTurn() }
    }

    /// Submits a change, and those that follow it, before anything behind them is run.
    private func runChanges(
        _ first: Change, of app: AppID, opcode: Opcode, id: UInt64, deadline: UInt64?, at now: Moment
    ) {
        guard let principal = session.principal else { return }
        var batch = ChangeBatch(runner, for: principal, app: app, at: now)
        batch.add(first, opcode: opcode, id: id, deadline: deadline)
        fill(&batch, at: now)
        batch.refuse(&session)
        let complete = completionHandler()
        batch.submit { complete(.changes($0)) }
    }

    private func fill(_ batch: inout some RequestBatch, at now: Moment) {
        unread.readWithUnsafeReadableBytes { bytes in batch.fill(from: bytes, through: &session, at: now) }
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
        sliceEnd = NIODeadline.now() + LoopTurns.slice
        switch delayed.take() {
        case .forSnapshot(let read, let app, let id, let deadline):
            // Asks again: other reads may have come meanwhile, behind changes that the registry has answered meanwhile.
            runPointReads(read, of: app, id: id, deadline: deadline, at: Clock.now())
        case .forOutput(let batch) where !session.mustFlush: answer(batch)
        case let other: delayed = other
        }
        onProgress?()
    }

    // MARK: Single requests

    private func run(_ request: MessageRequest, id: UInt64, deadline: UInt64?, at now: Moment) {
        guard let principal = session.principal else { return }
        runner.run(
            request, as: principal, from: clientAddress, deadline: deadline, at: now, answer(id))
    }

    private func enqueue(_ listing: Listing, id: UInt64, deadline: UInt64?, memoryBefore: Int) {
        let memory = session.requestMemory - memoryBefore
        listingMemory += memory
        listings.append(QueuedListing(listing: listing, id: id, deadline: deadline, memory: memory))
        startListing()
    }

    /// Begins the next listing, unless one is under way or the client does not take its answers. Otherwise a client
    /// could fill the memory with pages that it does not read, and take the reading threads for itself.
    func startListing() {
        while currentListing == nil, !hasEnded, !listings.isEmpty, reserveMemoryForPage(),
            let principal = session.principal,
            let next = listings.popFirst()
        {
            currentListing = (next.id, next.memory)
            runner.run(
                next.listing, within: takePage(), as: principal, deadline: next.deadline, at: Clock.now(),
                answer(next.id))
        }
    }

    /// Answers what waits with DRAINING: the client's credential is not good any more.
    func refuseWaiting() {
        switch delayed.take() {
        case .forSnapshot(_, _, let id, _): fail(.notExecuted, id: id)
        case .forOutput(var batch): batch.refuse(.notExecuted, in: &session)
        case nil: break
        }
        while let next = listings.popFirst() {
            listingMemory -= next.memory
            fail(.notExecuted, id: next.id)
        }
    }

    // MARK: Events (Protocol 8a)

    private func subscribe(_ subscription: EventSubscription, id: UInt64, deadline: UInt64?, at now: Moment) {
        guard let principal = session.principal else { return }
        events.requested(subscription, id: id)
        let complete = completionHandler()
        runner.subscribe(subscription, as: principal, deadline: deadline, at: now) {
            complete(.subscription(id: id, $0))
        }
    }

    private func creditReceived(_ credit: EventCredit, id: UInt64) {
        let answered = EncodedAnswer(EmptyAnswer(), to: EventCredit.self)
        if credit.acknowledged > 0, let principal = session.principal,
            let subscriber = events.subscriber(of: credit.subscription)
        {
            let (complete, now) = (completionHandler(), Clock.now().uptimeMilliseconds)
            runner.acknowledgements.acknowledge(subscriber, upTo: credit.acknowledged, as: principal, now: now) {
                error in
                complete(.request(id: id, error.map(Result.failure) ?? .success(answered)))
            }
        } else {
            session.respond(answered, id: id)
        }
        sendEvents()
    }

    private func unsubscribe(_ unsubscription: EventUnsubscription, id: UInt64) {
        events.unsubscribed(unsubscription.subscription)
        session.respond(EncodedAnswer(EmptyAnswer(), to: EventUnsubscription.self), id: id)
    }

    /// Sends the events that the client's credit allows.
    func sendEvents() {
        events.send(through: &session, isWritable: channel.isWritable)
    }

    // MARK: Completions

    /// Passes the result of the request `id` from any thread to the session.
    private func answer(_ id: UInt64) -> RequestRunner.Answer {
        let complete = completionHandler()
        return { complete(.request(id: id, $0)) }
    }

    /// Passes completions from any thread to the session. Keeps the dispatcher alive: a completion has effects beside
    /// the answer.
    private func completionHandler() -> @Sendable (Completion) -> Void {
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
            requestEnded(id)
            session.respond(answer, id: id)
        case .request(let id, .failure(let error)):
            requestEnded(id)
            fail(error, id: id)
        case .subscription(let id, .success(let after)):
            session.respond(EncodedAnswer(after, to: EventSubscription.self), id: id)
            events.subscribed(id, as: session.principal, after: after)
        case .subscription(let id, .failure(let error)):
            events.refused(id)
            fail(error, id: id)
        case .changes(let changes):
            changes.answer(&session, at: Clock.now().uptimeMilliseconds)
            changes.audit(from: clientAddress)
        }
    }

    private func fail(_ error: ErrorReply, id: UInt64) {
        session.fail(error, id: id, at: Clock.now().uptimeMilliseconds)
    }

    private func requestEnded(_ id: UInt64) {
        guard let current = currentListing, current.id == id else { return }
        currentListing = nil
        listingMemory -= current.memory
        pageBytes = 0
    }
}
