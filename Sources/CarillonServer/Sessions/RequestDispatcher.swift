import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import Logging
import NIOCore

/// Runs the requests of one session: reads them from the client's bytes, and passes their results back to the session.
///
/// Point reads, and changes, that stand one behind the other are collected into a batch and run in one piece. Listings
/// wait in a queue and run one at a time.
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

    private let runner: RequestRunner
    private let channel: any Channel
    private let loop: any EventLoop
    private let inbox = CompletionInbox()
    private var unread = ByteBuffer()
    /// Listings that wait for the answers to those before them, and the id of the one that is read now.
    private var listings = CircularBuffer<QueuedListing>()
    private var currentListing: UInt64?
    /// A point read that waits until the registry's snapshot shows every answered change; reading stops meanwhile.
    private var delayedPointRead: ReceivedPointRead?
    private var hasEnded = false

    private struct QueuedListing {
        var listing: Listing
        var id: UInt64
        var deadline: UInt64?
    }

    private struct ReceivedPointRead {
        var read: PointRead
        var app: AppID
        var id: UInt64
        var deadline: UInt64?
    }

    init(_ dependencies: SessionDependencies, channel: any Channel, logger: Logger) {
        self.dependencies = dependencies
        self.channel = channel
        self.logger = logger
        loop = channel.eventLoop
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
        events.end()
    }

    // MARK: Bytes

    /// True if more bytes may be read.
    var mayRead: Bool { session.mayRead && delayedPointRead == nil }

    /// Adds bytes of the client.
    func append(_ bytes: ByteBuffer) {
        var bytes = bytes
        unread.writeBuffer(&bytes)
    }

    /// Gives back the memory of the bytes that were read.
    func releaseReadBytes() {
        unread.discardReadBytes()
        if unread.readableBytes == 0 && unread.capacity > 65_536 { unread = ByteBuffer() }
    }

    /// Reads and runs all frames that have come, until the session may not read on or its output must be sent.
    func readFrames(at now: Moment) {
        while true {
            switch readFrame(at: now) {
            case .needMore, .close: return
            case .proceed: break
            case .authenticate(let authentication, let id): authenticate(authentication, id: id)
            case .pointRead(let read, let app, let id, let deadline):
                runPointReads(ReceivedPointRead(read: read, app: app, id: id, deadline: deadline), at: now)
            case .change(let change, let app, let opcode, let id, let deadline):
                runChanges(change, of: app, opcode: opcode, id: id, deadline: deadline, at: now)
            case .listing(let request, let id, let deadline):
                enqueue(QueuedListing(listing: .registry(request), id: id, deadline: deadline))
            case .statistics(let query, let id, let deadline):
                enqueue(QueuedListing(listing: .statistics(query), id: id, deadline: deadline))
            case .message(.send(let message), let id, let deadline) where message.isDryRun:
                enqueue(QueuedListing(listing: .dryRun(message), id: id, deadline: deadline))
            case .message(let request, let id, let deadline):
                run(request, id: id, deadline: deadline, at: now)
            case .subscribeEvents(let subscription, let id, let deadline):
                subscribe(subscription, id: id, deadline: deadline, at: now)
            case .eventCredit(let credit, let id): creditReceived(credit, id: id)
            case .unsubscribeEvents(let unsubscription, let id): unsubscribe(unsubscription, id: id)
            }
        }
    }

    private func readFrame(at now: Moment) -> ServerSession.Step {
        guard mayRead, !session.mustFlush else { return .needMore }
        return unread.readWithUnsafeReadableBytes { bytes in
            bytes.isEmpty ? (0, .needMore) : session.received(bytes, at: now)
        }
    }

    // MARK: Batches

    /// Answers a point read, and those that follow it, on one snapshot of the registry, which begins after they have
    /// come.
    ///
    /// While the snapshot would not show every answered change, the point read is delayed.
    private func runPointReads(_ first: ReceivedPointRead, at now: Moment) {
        guard isRegistryCurrent() else { return delayedPointRead = first }
        answerPointReads(first, at: now)
    }

    private func answerPointReads(_ first: ReceivedPointRead, at now: Moment) {
        guard let principal = session.principal else { return }
        var batch = PointReadBatch(runner, for: principal, opcode: first.read.opcode, app: first.app, at: now)
        batch.add(first.read, id: first.id, deadline: first.deadline)
        fill(&batch, at: now)
        batch.answer(&session)
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

    /// Returns true if a snapshot of the registry shows every answered change. If it does not, `registryCaughtUp` is
    /// called when it does.
    private func isRegistryCurrent() -> Bool {
        let bound = NIOLoopBound(self, eventLoop: loop)
        return runner.registry.whenCurrent { [loop] in loop.execute { bound.value.registryCaughtUp() } }
    }

    private func registryCaughtUp() {
        guard let read = delayedPointRead else { return }
        delayedPointRead = nil
        guard !hasEnded else { return }
        // Others may have come meanwhile, behind changes that the registry has answered meanwhile.
        runPointReads(read, at: Clock.now())
        onProgress?()
    }

    // MARK: Single requests

    private func run(_ request: MessageRequest, id: UInt64, deadline: UInt64?, at now: Moment) {
        guard let principal = session.principal else { return }
        runner.run(request, as: principal, deadline: deadline, at: now, answer(id))
    }

    private func enqueue(_ listing: QueuedListing) {
        listings.append(listing)
        startListing()
    }

    /// Begins the next listing, unless one is under way or the client does not take its answers. Otherwise a client
    /// could fill the memory with pages that it does not read, and take the reading thread for itself.
    func startListing() {
        while currentListing == nil, !hasEnded, channel.isWritable, let principal = session.principal,
            let next = listings.popFirst()
        {
            currentListing = next.id
            runner.run(next.listing, as: principal, deadline: next.deadline, at: Clock.now(), answer(next.id))
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
        if credit.acknowledged > 0, let subscriber = events.subscriber(of: credit.subscription) {
            let complete = completionHandler()
            runner.acknowledge(subscriber, upTo: credit.acknowledged) { error in
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
        }
    }

    private func fail(_ error: ErrorReply, id: UInt64) {
        session.fail(error, id: id, at: Clock.now().uptimeMilliseconds)
    }

    private func requestEnded(_ id: UInt64) {
        if id == currentListing { currentListing = nil }
    }
}
