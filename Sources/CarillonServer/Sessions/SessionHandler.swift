import CarillonCore
import CarillonSession
import CarillonTLSChannel
import CarillonTransport
import CarillonWire
import Logging
import NIOCore
import Synchronization

/// The shell of one `ServerSession`: reads and writes for it, runs its requests, keeps its time.
final class SessionHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// What all sessions share.
    struct Shared: Sendable {
        var limits: SessionLimits
        var welcome: Welcome
        var clients: Authenticator
        var runner: RequestRunner
        var events: EventHub
        var limiter: ConnectionLimiter
        var metrics: RequestMetrics
        var logger: Logger
    }

    /// Sent to the channel as a user event when the server stops.
    struct Drain: Sendable {
        /// Milliseconds that the client should wait before it connects again.
        var reconnectAfter: UInt32
    }

    /// Sent to the channel as a user event when other clients are known, or the same may do other things.
    struct ClientsChanged: Sendable {
        /// Whether certificates are believed from others than before.
        var authoritiesChanged: Bool
        /// Milliseconds that the client should wait before it connects again, if that concerns it.
        var reconnectAfter: UInt32
    }

    /// What other threads have for this connection.
    private enum Letter: Sendable {
        case answer(id: UInt64, Result<Response, ErrorReply>)
        case changes(AnsweredChanges)
    }

    /// Answers that came from other threads, to be written in one go.
    private final class CompletionInbox: Sendable {
        private let letters = Mutex<[Letter]>([])

        /// Puts a letter in; true if the box was empty and somebody must be told.
        func put(_ letter: Letter) -> Bool {
            letters.withLock { letters in
                letters.append(letter)
                return letters.count == 1
            }
        }

        func takeAll() -> [Letter] {
            letters.withLock { letters in
                let all = letters
                letters = []
                return all
            }
        }
    }

    private let shared: Shared
    private let runner: RequestRunner
    private let address: String
    private let usesTLS: Bool
    private let mailbox = CompletionInbox()
    private var session: ServerSession?
    /// What the client is known by, once it is.
    private var credential: Credential?
    private var unread = ByteBuffer()
    private var isReadWanted = false
    private var isReading = false
    private var isInputClosed = false
    private var hasEnded = false
    /// Whether the client has been handed everything before the end.
    private var isAllSent = false
    private var isHandshakeCounted = true
    private var timer: (at: UInt64, task: Scheduled<Void>)?
    private var stall: Scheduled<Void>?
    private var logger: Logger
    /// Subscriptions of events that are told, and those that are asked for, by the id of their request.
    private var feeds: [UInt64: EventFeed] = [:]
    private var wanted: [UInt64: EventSubscription] = [:]
    private var turns: EventReadScheduler?
    /// Requests for many rows that wait until the answers to those before them have gone out, and the one that is read now.
    private var listings = CircularBuffer<(request: Request, id: UInt64, deadline: UInt64?)>()
    private var listing: UInt64?
    /// An pointRead that waits until the registry shows every answered change; what came behind it waits, too.
    private var deferredPointRead: DeferredPointRead?

    private struct DeferredPointRead {
        var pointRead: PointRead
        var app: AppID
        var id: UInt64
        var deadline: UInt64?
    }

    /// How long a client may leave answers untaken.
    private static let stallLimit = TimeAmount.seconds(30)
    /// How long the last words have to reach the client before the socket goes.
    private static let lingerLimit = TimeAmount.milliseconds(500)
    /// How often it is looked whether they have.
    private static let lingerInterval = TimeAmount.milliseconds(50)

    init(_ shared: Shared, address: String, usesTLS: Bool) {
        self.shared = shared
        runner = shared.runner
        self.address = address
        self.usesTLS = usesTLS
        logger = shared.logger
        logger[metadataKey: "client"] = "\(address)"
    }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive && !usesTLS { begin(context, principal: nil) }
    }

    func channelActive(context: ChannelHandlerContext) {
        if !usesTLS { begin(context, principal: nil) }
        context.fireChannelActive()
    }

    private func begin(_ context: ChannelHandlerContext, principal: Principal?) {
        guard session == nil else { return }
        session = ServerSession(
            limits: shared.limits, welcome: shared.welcome, principal: principal,
            now: Clock.now().uptimeMilliseconds)
        schedule(context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let handshake as TLSHandshakeCompleted:
            credential = handshake.peerCertificate.map { Credential($0) }
            begin(context, principal: credential.flatMap(shared.clients.principal(for:)))
            readAll(context)
        case let drain as Drain:
            guard session != nil else { return context.close(promise: nil) }
            session?.beginDraining(at: Clock.now().uptimeMilliseconds, reconnectAfter: drain.reconnectAfter)
            settle(context)
        case let change as ClientsChanged:
            clientsChanged(change, context)
        case ChannelEvent.inputClosed:
            isInputClosed = true
            guard !hasEnded else { return isAllSent ? context.close(promise: nil) : () }
            readAll(context)
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasEnded else { return }
        var buffer = unwrapInboundIn(data)
        unread.writeBuffer(&buffer)
        readAll(context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            stall?.cancel()
            stall = nil
            session?.readingResumed(at: Clock.now().uptimeMilliseconds)
            tellEvents(context)
            list(context)
            readAll(context)
            resumeReading(context)
        } else if stall == nil {
            let channel = context.channel
            stall = context.eventLoop.scheduleTask(in: Self.stallLimit) { channel.close(promise: nil) }
        }
        context.fireChannelWritabilityChanged()
    }

    /// Holds back reading from the socket while the session or the client's slowness demands it.
    func read(context: ChannelHandlerContext) {
        if mayRead(context) {
            context.read()
        } else {
            isReadWanted = true
        }
    }

    private func mayRead(_ context: ChannelHandlerContext) -> Bool {
        guard session?.ask({ $0.isClosed }) == false else { return true }
        return mayReadOn && deferredPointRead == nil && context.channel.isWritable
    }

    private func resumeReading(_ context: ChannelHandlerContext) {
        guard isReadWanted, mayRead(context) else { return }
        isReadWanted = false
        context.read()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        logger.debug("connection broke", metadata: ["error": "\(error)"])
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // Answers that are still on their way find nobody: they must not start a timer again.
        hasEnded = true
        timer?.task.cancel()
        stall?.cancel()
        feeds = [:]
        listings.removeAll()
        turns?.remove(self)
        endHandshake()
        shared.limiter.connectionEnded()
        context.fireChannelInactive()
    }

    private func endHandshake() {
        guard isHandshakeCounted else { return }
        isHandshakeCounted = false
        shared.limiter.handshakeEnded(address)
    }

    // MARK: The session

    private func readAll(_ context: ChannelHandlerContext) {
        // An answer that comes at once runs through here again; the outer loop goes on with what is left.
        guard !isReading, session != nil else { return }
        isReading = true
        while context.channel.isWritable {
            readFrames(Clock.now(), context)
            guard session?.ask({ $0.hasMuchToSay }) == true else { break }
            flush(context)
        }
        isReading = false
        noteEndOfInput(context)
        unread.discardReadBytes()
        if unread.readableBytes == 0 && unread.capacity > 65_536 { unread = ByteBuffer() }
        settle(context)
    }

    private func readFrames(_ now: Moment, _ context: ChannelHandlerContext) {
        var step = readNext(now)
        while true {
            switch step {
            case .needMore, .close: return
            case .proceed: step = readNext(now)
            case .authenticate(let authentication, let id):
                authenticate(authentication, id)
                step = readNext(now)
            case .run(let request, let id, let deadline):
                run(request, id, deadline, now, context)
                step = readNext(now)
            case .pointRead(let pointRead, let app, let id, let deadline):
                let held = DeferredPointRead(pointRead: pointRead, app: app, id: id, deadline: deadline)
                guard isCurrent(context) else { return deferredPointRead = held }
                answerPointReads(held, now)
                step = readNext(now)
            case .change(let change, let app, let id, let deadline):
                self.change(change, app, id, deadline, now, context)
                step = readNext(now)
            }
        }
    }

    /// Has the session read one frame of what has come.
    private func readNext(_ now: Moment) -> ServerSession.Step {
        session?.ask { session in readNext(&session, now) } ?? .close
    }

    private func readNext(_ session: inout ServerSession, _ now: Moment) -> ServerSession.Step {
        guard session.mayRead, !session.hasMuchToSay, deferredPointRead == nil else { return .needMore }
        return unread.readWithUnsafeReadableBytes { bytes in
            bytes.isEmpty ? (0, .needMore) : session.received(bytes, at: now)
        }
    }

    /// Whether the registry shows every answered change; if it does not it says when.
    private func isCurrent(_ context: ChannelHandlerContext) -> Bool {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        return runner.registry.whenCurrent { loop.execute { bound.value.0.caughtUp(bound.value.1) } }
    }

    private func caughtUp(_ context: ChannelHandlerContext) {
        guard let held = deferredPointRead else { return }
        deferredPointRead = nil
        guard !hasEnded else { return }
        answerPointReads(held, Clock.now())
        readAll(context)
        resumeReading(context)
    }

    /// Answers an pointRead and those that were read with it on one snapshot of the registry, which begins after they have come.
    private func answerPointReads(_ first: DeferredPointRead, _ now: Moment) {
        session?.ask { session in
            guard let principal = session.principal else { return }
            var pointReads = PointReadBatch(runner, principal, now, first.pointRead.opcode, first.app)
            pointReads.add(first.pointRead, first.id, first.deadline)
            unread.readWithUnsafeReadableBytes { bytes in
                session.receivedPointReads(
                    bytes, like: first.pointRead.opcode, of: first.app, at: now, limit: PointReadBatch.limit
                ) {
                    pointReads.add($0, $1, $2)
                }
            }
            pointReads.answer(&session)
        }
    }

    /// Hands a change and those that were read with it to the registry, before anything that came behind them is run.
    private func change(
        _ first: Change, _ app: AppID, _ id: UInt64, _ deadline: UInt64?, _ now: Moment,
        _ context: ChannelHandlerContext
    ) {
        let changes: Changes? = session?.ask { session in
            guard let principal = session.principal else { return nil }
            var changes = Changes(runner, principal, now, app)
            changes.add(first, id, deadline)
            unread.readWithUnsafeReadableBytes { bytes in
                session.receivedChanges(bytes, of: app, at: now, while: { changes.hasRoom }) { changes.add($0, $1, $2) }
            }
            changes.refuse(&session)
            return changes
        }
        let deliver = deliverer(context)
        changes?.submit { deliver(.changes($0)) }
    }

    private var mayReadOn: Bool { session?.ask { $0.mayRead } ?? false }

    /// Tells the session of the client's FIN, but not before every whole frame that came ahead of it is read: the socket
    /// hands over all that is left when it sees the FIN, also while reading is held back.
    private func noteEndOfInput(_ context: ChannelHandlerContext) {
        guard isInputClosed, mayReadOn, deferredPointRead == nil, context.channel.isWritable else { return }
        session?.inputClosed()
    }

    private func authenticate(_ authentication: Authentication, _ id: UInt64) {
        let key = Credential(key: authentication.credential)
        let principal = shared.clients.principal(for: key)
        if principal == nil {
            shared.metrics.keyRefused()
            logger.warning("a key was refused")
        } else {
            credential = key
        }
        session?.authenticated(as: principal, id: id)
    }

    /// Looks whether the client is still known, and may still do the same (Protocol 6.4).
    private func clientsChanged(_ change: ClientsChanged, _ context: ChannelHandlerContext) {
        guard let credential, let before = session?.ask({ $0.principal }) ?? nil else { return }
        let principal = shared.clients.principal(for: credential)
        // Whether a certificate is still believed the next handshake says.
        var comesAgain = false
        if case .certificate = credential { comesAgain = change.authoritiesChanged }
        guard principal != before || comesAgain else { return }
        logger.notice(
            principal == nil
                ? "the client is not known any more"
                : comesAgain
                    ? "authorities have changed, the client is to come again" : "what the client may do has changed",
            metadata: ["principal": "\(before.name)"])
        // What may be told now the client asks for on its next connection.
        feeds = [:]
        wanted = [:]
        session?.principalChanged(
            to: principal, at: Clock.now().uptimeMilliseconds, reconnectAfter: change.reconnectAfter)
        settle(context)
    }

    private func run(
        _ request: Request, _ id: UInt64, _ deadline: UInt64?, _ now: Moment, _ context: ChannelHandlerContext
    ) {
        guard let principal = session?.ask({ $0.principal }) ?? nil else { return }
        switch request {
        case .subscribeEvents(let subscription): wanted[id] = subscription
        case .eventCredit(let credit): return credited(credit, id, context)
        case .unsubscribeEvents(let it):
            feeds[it.subscription] = nil
            // Maybe it is not answered yet: it must not begin when it is over.
            wanted[it.subscription] = nil
            session?.respond(.eventsUnsubscribed, id: id)
            return
        default: break
        }
        guard !request.isListing else {
            listings.append((request, id, deadline))
            return list(context)
        }
        submit(id, context) { runner.run(request, as: principal, deadline: deadline, at: now, $0) }
    }

    /// Begins the listing that is next, unless one is under way or the client does not take its answers: otherwise a client
    /// could fill the memory with pages that it does not read, and the thread that reads them for everybody with its own.
    private func list(_ context: ChannelHandlerContext) {
        while listing == nil, !hasEnded, context.channel.isWritable,
            let principal = session?.ask({ $0.principal }) ?? nil, let next = listings.popFirst()
        {
            listing = next.id
            submit(next.id, context) {
                runner.run(next.request, as: principal, deadline: next.deadline, at: Clock.now(), $0)
            }
        }
    }

    /// Has something run whose answer belongs to the request `id`.
    private func submit(
        _ id: UInt64, _ context: ChannelHandlerContext, _ run: (@escaping RequestRunner.Answer) -> Void
    ) {
        let deliver = deliverer(context)
        run { deliver(.answer(id: id, $0)) }
    }

    /// Brings what is known on any thread to this connection.
    private func deliverer(_ context: ChannelHandlerContext) -> @Sendable (Letter) -> Void {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let (mailbox, loop, post) = (mailbox, context.eventLoop, runner.post)
        return { letter in
            if loop.inEventLoop {
                bound.value.0.open(letter)
                bound.value.0.settle(bound.value.1)
            } else if mailbox.put(letter) {
                post.call(loop) { bound.value.0.openMailbox(bound.value.1) }
            }
        }
    }

    private func openMailbox(_ context: ChannelHandlerContext) {
        for letter in mailbox.takeAll() { open(letter) }
        if !wanted.isEmpty || !feeds.isEmpty { tellEvents(context) }
        readAll(context)
        settle(context)
        list(context)
        resumeReading(context)
    }

    private func open(_ letter: Letter) {
        switch letter {
        case .answer(let id, let answer): self.answer(id, answer)
        case .changes(let changes):
            let now = Clock.now().uptimeMilliseconds
            session?.ask { session in changes.answer(&session, at: now) }
        }
    }

    private func answer(_ id: UInt64, _ answer: Result<Response, ErrorReply>) {
        if id == listing { listing = nil }
        switch answer {
        case .success(let response):
            session?.respond(response, id: id)
            if case .eventsSubscribed(let after) = response { subscribed(id, after: after) }
        case .failure(let error):
            wanted[id] = nil
            session?.fail(error, id: id, at: Clock.now().uptimeMilliseconds)
        }
    }

    // MARK: Events (Protocol 8a)

    private func subscribed(_ id: UInt64, after sequence: UInt64) {
        guard let subscription = wanted.removeValue(forKey: id), let principal = session?.principal,
            let filter = runner.filter(of: subscription, principal)
        else { return }
        let subscriber =
            subscription.name.isEmpty ? nil : EventSubscriber(principal: principal.name, name: subscription.name)
        feeds[id] = EventFeed(subscriber: subscriber, filter: filter, after: sequence)
    }

    private func credited(_ credit: EventCredit, _ id: UInt64, _ context: ChannelHandlerContext) {
        if credit.acknowledged > 0, let subscriber = feeds[credit.subscription]?.subscriber {
            submit(id, context) { runner.acknowledge(subscriber, upTo: credit.acknowledged, $0) }
        } else {
            session?.respond(.eventsCredited, id: id)
        }
        tellEvents(context)
    }

    /// Tells each subscription what it may be told now, and has more read where everything was told.
    private func tellEvents(_ context: ChannelHandlerContext) {
        guard !hasEnded, !feeds.isEmpty, session != nil else { return }
        let turns = turns(context)
        let newest = shared.events.newest
        for id in feeds.keys {
            feeds[id]?.tell { notice in context.channel.isWritable && session?.sendEvent(notice, on: id) == true }
            guard feeds[id]?.wantsPage(newest: newest) == true else { continue }
            feeds[id]?.readingBegins()
            turns.take { [self] done in readEvents(of: id, context, done) }
        }
        if !isReading { flush(context) }
    }

    /// Has the next page of a subscription read and tells it; `done` is called after that, on the loop.
    private func readEvents(of id: UInt64, _ context: ChannelHandlerContext, _ done: @escaping () -> Void) {
        guard !hasEnded, let feed = feeds[id] else { return done() }
        let bound = NIOLoopBound((self, context, done), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        runner.readEvents(after: feed.readUpTo, feed.filter) { page in
            loop.execute {
                let (handler, context, done) = bound.value
                handler.eventsRead(page, id, context)
                done()
            }
        }
    }

    private func eventsRead(_ page: EventPage?, _ id: UInt64, _ context: ChannelHandlerContext) {
        guard !hasEnded else { return }
        feeds[id]?.read(page, at: Clock.now().wall)
        // What could not be read is read when the next event comes.
        if page != nil { tellEvents(context) }
    }

    private func turns(_ context: ChannelHandlerContext) -> EventReadScheduler {
        if let turns { return turns }
        let turns = shared.events.turns(on: context.eventLoop)
        turns.add(self) { [unowned self] in tellEvents(context) }
        self.turns = turns
        return turns
    }

    /// Sends what the session has to say, notes what it has become, and keeps its time.
    private func settle(_ context: ChannelHandlerContext) {
        guard !isReading, session != nil, !hasEnded else { return }
        if isHandshakeCounted, let principal = session?.ask({ $0.principal }) ?? nil {
            endHandshake()
            logger[metadataKey: "principal"] = "\(principal.name)"
            logger.debug("client is known")
        }
        flush(context)
        if session?.ask({ $0.isClosed }) == true { return end(context) }
        schedule(context)
    }

    private func flush(_ context: ChannelHandlerContext) {
        guard let bytes = session?.output.take(), !bytes.isEmpty else { return }
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
    }

    /// Ends the sending direction and lets the last words arrive: closing with bytes unread would reset the connection
    /// and take them away.
    private func end(_ context: ChannelHandlerContext) {
        hasEnded = true
        timer?.task.cancel()
        unread = ByteBuffer()
        let channel = context.channel
        // The client has its time to take all answers; a channel whose input has ended would not wait for that itself.
        let limit = context.eventLoop.scheduleTask(in: Self.stallLimit) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in limit.cancel() }
        let isSent = context.eventLoop.makePromise(of: Void.self)
        isSent.futureResult.flatMap { channel.close(mode: .output) }.assumeIsolated().whenComplete { [self] _ in
            isAllSent = true
            guard !isInputClosed else { return channel.close(promise: nil) }
            linger(channel)
        }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: isSent)
        if isReadWanted {
            isReadWanted = false
            context.read()
        }
    }

    /// Closes half a second after the client's machine has everything: what the client sends to a closed socket is answered
    /// with a reset, which takes with it whatever the socket has not handed over yet.
    private func linger(_ channel: any Channel) {
        guard channel.isActive else { return }
        channel.bytesOnTheirWay().assumeIsolated().whenComplete { [self] result in
            guard case .success(let bytes) = result, bytes > 0 else {
                channel.eventLoop.scheduleTask(in: Self.lingerLimit) { channel.close(promise: nil) }
                return
            }
            channel.eventLoop.assumeIsolated().scheduleTask(in: Self.lingerInterval) { self.linger(channel) }
        }
    }

    private func schedule(_ context: ChannelHandlerContext) {
        guard let deadline = session?.ask({ $0.deadline }) ?? nil else { return }
        if let timer, timer.at <= deadline { return }
        timer?.task.cancel()
        let now = Clock.now().uptimeMilliseconds
        let delay = TimeAmount.milliseconds(Int64(clamping: deadline - min(deadline, now)))
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let task = context.eventLoop.scheduleTask(in: delay) { bound.value.0.timerFired(bound.value.1) }
        timer = (deadline, task)
    }

    private func timerFired(_ context: ChannelHandlerContext) {
        timer = nil
        let now = Clock.now().uptimeMilliseconds
        // What nobody reads cannot come to its end: a client that does not take its answers has a time of its own.
        if !context.channel.isWritable { session?.readingResumed(at: now) }
        session?.timerFired(at: now)
        settle(context)
    }
}

extension ServerSession {
    /// Asks the session where it is: an optional one that is only read is copied, with all it holds, at each question.
    fileprivate mutating func ask<Result>(_ question: (inout ServerSession) -> Result) -> Result { question(&self) }
}

/// Turns away a connection that is one too many: says why and closes at once, for room is what there is not.
final class RefusalHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let refusal: ConnectionLimiter.Refusal

    init(_ refusal: ConnectionLimiter.Refusal) {
        self.refusal = refusal
    }

    func channelActive(context: ChannelHandlerContext) {
        var writer = FrameWriter()
        writer.raw(Preface.server(choosing: 0))
        writer.error(
            ErrorReply(
                .tooManyConnections, scope: .connection, retry: .after(milliseconds: 1_000),
                message: "no room for another connection: \(refusal.setting.name) is \(refusal.limit)",
                limit: UInt64(refusal.limit)),
            opcode: Opcode(rawValue: 0), id: 0)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: writer.bytes))).whenComplete {
            _ in
            channel.close(promise: nil)
        }
    }
}
