import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import Logging
import NIOCore

/// Dispatches the requests of one session: reads them from the client's bytes, runs them, and passes their results back
/// to the session. Confined to the connection's event loop.
///
/// The reading of frames and the events of the channel stand here.
///
/// | Extension | What it does | State |
/// |---|---|---|
/// | `+Authentication` | the client: who it is, and changes of its rights | `ClientAuthentication` |
/// | `+Memory` | takes memory before a request is read, and gives it back | `ConnectionMemoryLimit` |
/// | `+Turns` | stops the reading for a time, or until the others have had their turn | `ReadingTurn`, `LoopTurns` |
/// | `+Pipelining` | changes and point reads, together with those that follow | `WaitingRequests` |
/// | `+LongReads` | long reads, which run one at a time | `LongReadQueue` |
/// | `+Events` | subscriptions to events | `EventSender` |
/// | `+Completions` | the results of requests, also from other threads | `CompletionInbox` |
///
/// Requests of one kind that were read together are *pipelined*, and run together: one snapshot, or one entry of the
/// queue, serves them all. A request that was read may have to wait; `WaitingRequests` keeps it:
///
/// - Point reads wait for the writer, until the output is sent, or for the connection's next turn. Until they are
///   answered, no more frames are read.
/// - Changes that were pipelined with point reads wait until these are answered.
/// - Long reads wait for the one that is running, and until the client takes its answers.
///
/// Requests that were not read yet wait in the input while the reading is stopped (`ReadingTurn`): for memory, for a
/// position of the shared log, or, when the connection has used up its time slice, for its next turn.
final class RequestDispatcher {
    var session: ServerSession
    let events: EventSender

    /// Called after a completion that was made on the event loop itself: there may be output to send. The handler must
    /// not read frames: the completion may have come during `readFrames`, which goes on reading anyway.
    private(set) var onOutputPending: (() -> Void)?
    /// Called when there may be output to send and more frames to read: after completions of other threads, after the
    /// writer's answers to point reads, and when the connection has its turn.
    private(set) var onReadingAllowed: (() -> Void)?

    let dependencies: SessionDependencies
    let runner: RequestRunner
    let logger: Logger
    let channel: any Channel
    let loop: any EventLoop
    var authentication: ClientAuthentication
    /// The address of the client, as the audit lines show it.
    let clientAddress: String
    let inbox = CompletionInbox()
    private var input = ReceivedBytes()
    private(set) var hasEnded = false

    /// The memory that this connection holds of the memory budget.
    var memory: ConnectionMemoryLimit

    let turns: LoopTurns
    var turn = ReadingTurn()

    var waiting = WaitingRequests()

    /// Makes the dispatcher of a channel, with a new session.
    ///
    /// - Parameter clientAddress: the client, as the audit lines show it; nil for the address of the channel.
    init(_ dependencies: SessionDependencies, channel: any Channel, clientAddress: String? = nil, logger: Logger) {
        self.dependencies = dependencies
        authentication = ClientAuthentication(dependencies.authenticator)
        self.clientAddress = clientAddress ?? channel.clientAddress
        self.channel = channel
        self.logger = logger
        loop = channel.eventLoop
        memory = ConnectionMemoryLimit(dependencies.memory)
        turns = dependencies.turns.value(on: loop) { LoopTurns(on: $0) }
        runner = dependencies.runner
        events = EventSender(hub: dependencies.events, reader: runner.events, loop: loop)
        var helloAnswer = dependencies.helloAnswer
        helloAnswer.node = runner.node?.helloNode
        session = ServerSession(limits: dependencies.limits, helloAnswer: helloAnswer, now: Clock.uptime())
    }

    /// Ends the work: the session or its channel has ended. No more requests are begun; completions are still applied.
    func end() {
        hasEnded = true
        input.removeAll()
        waiting.removeAll()
        events.end()
        memory.close()
    }

    func setHandlers(onOutputPending: (() -> Void)?, onReadingAllowed: (() -> Void)?) {
        self.onOutputPending = onOutputPending
        self.onReadingAllowed = onReadingAllowed
    }

    // MARK: Bytes

    /// Returns true if the socket may be read now. Takes the memory for the rest of the incomplete frame; stops the
    /// reading if the memory budget allows no more.
    func reserveForSocketRead() -> Bool { mayRead && channel.isWritable && reserveMemoryForFrame() }

    /// True if more frames may be read.
    var mayRead: Bool { session.mayRead && !waiting.havePointReads && !turn.isStopped }

    /// True if bytes of the client wait to be decoded.
    var hasInput: Bool { !input.isEmpty }

    /// Takes bytes that were read from the socket.
    func append(_ bytes: ByteBuffer) { input.append(bytes) }

    func releaseDecodedBytes() { input.releaseDecoded() }

    /// Reads and runs the frames that have come, until the session may not read on, its output must be sent, or the
    /// time slice is over.
    func readFrames(at now: Moment) {
        guard !turn.isStopped, takeTurnOrWait() else { return }
        session.limitOutputPieces(to: memory.pieceBytes(of: dependencies.limits.outputPieceBytes))
        beginTimeSlice()
        continuePointReads()
        while mayRead, reserveMemoryForRequest() {
            guard !turn.isTimeSliceOver(atNanoseconds: Clock.uptimeNanoseconds()) else { return waitForTurn() }
            let memoryBefore = session.requestMemory
            guard run(readFrame(at: now), at: now, memoryBefore: memoryBefore) else { return }
        }
    }

    /// Carries out a step of the session, such as a request to run. Returns true if the next frame may be read.
    ///
    /// - Parameter memoryBefore: the memory of the session's requests before the step.
    private func run(_ step: ServerSession.Step, at now: Moment, memoryBefore: Int) -> Bool {
        switch step {
        case .needMore, .close: return false
        case .proceed: break
        case .authenticate(let authentication, let id):
            authenticate(authentication, id: id)
            // Other connections of this client may wait.
            return takeTurnOrWait()
        case .pointRead(let read, let app, let context): runPointReads(read, of: app, in: context)
        case .change(let change, let app, let context): runChanges(change, of: app, in: context)
        case .longRead(let request, let context): enqueue(.registry(request), in: context, memoryBefore: memoryBefore)
        case .statistics(let query, let context): enqueue(.statistics(query), in: context, memoryBefore: memoryBefore)
        case .dryRun(let message, let context): enqueue(.dryRun(message), in: context, memoryBefore: memoryBefore)
        case .individual(let request, let context):
            runner.run(request, in: context, from: clientAddress, resultHandler(of: context.id))
        case .subscribeEvents(let subscription, let context): subscribe(subscription, in: context)
        case .eventCredit(let credit, let context): creditReceived(credit, in: context)
        case .unsubscribeEvents(let unsubscription, let id): unsubscribe(unsubscription, id: id)
        case .awaitPosition(let position): awaitPosition(position)
        }
        return true
    }

    /// Runs the next frame if it is a whole SEND; returns false if it is not.
    func runNextSend(at now: Moment) -> Bool {
        let isSend = input.peek { bytes in session.isSendNext(bytes) }
        guard isSend, mayRead, reserveMemoryForRequest() else { return false }
        let memoryBefore = session.requestMemory
        return run(readFrame(at: now), at: now, memoryBefore: memoryBefore)
    }

    private func readFrame(at now: Moment) -> ServerSession.Step {
        guard !session.mustFlush else { return .needMore }
        return input.decode { bytes in
            bytes.isEmpty ? (0, .needMore) : session.received(bytes, at: now)
        }
    }

    /// Adds the requests at the front of the input that continue the pipeline; returns the number of their bytes.
    @discardableResult
    func extend(_ pipelined: inout some PipelinedRequests, at now: Moment) -> Int {
        input.decode { bytes in
            let consumed = pipelined.extend(from: bytes, through: &session, at: now)
            return (consumed, consumed)
        }
    }

    // MARK: The channel

    /// Begins an orderly stop, because the server stops.
    func beginDraining(reconnectAfterMilliseconds: UInt32) {
        session.beginDraining(at: Clock.uptime(), reconnectAfterMilliseconds: reconnectAfterMilliseconds)
    }

    /// Ends the session with an error that belongs to no request.
    func refuseConnection(_ error: RequestError) { session.refuseConnection(error) }

    /// Ends the input: the client has closed its sending direction, and every whole frame before was read.
    func inputClosed() { session.inputClosed() }

    /// Called when the client takes its answers again.
    func outputResumed() { session.readingResumed(at: Clock.uptime()) }

    /// Runs the session's timers that are due.
    func timerFired() {
        let now = Clock.uptime()
        // While the client leaves its answers unread, or while there is no memory for the frame, the server does not
        // read. So the frame cannot end.
        if !channel.isWritable || turn.isStopped { session.readingResumed(at: now) }
        session.timerFired(at: now)
    }

    func takeOutput() -> [UInt8] { session.output.take() }

    // MARK: The cluster (Protocol 6.5)

    /// Tells the client the position of this node. Called before changes are answered and events are sent.
    func reportPosition() {
        guard let node = runner.node else { return }
        session.reportPosition(node.position)
    }

    /// Reads no further until this node is at the position or a bounded time has passed. After that time, requests that
    /// need the position are refused.
    func awaitPosition(_ position: UInt64) {
        guard let node = runner.node, node.position < position, !hasEnded, turn.stop() else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        node.awaitPosition(position) { [loop] _ in
            loop.execute {
                bound.value.turn.resume()
                bound.value.waitForTurn()
            }
        }
    }

    /// Refuses a connection to a node that has not joined its cluster: the client asks another one.
    func refuseUnlessJoined() {
        guard let node = runner.node, session.node == nil else { return }
        // It may have joined since the connection was accepted.
        if let joined = node.helloNode { session.announce(joined) } else { session.refuseConnection(.notJoined) }
    }
}
