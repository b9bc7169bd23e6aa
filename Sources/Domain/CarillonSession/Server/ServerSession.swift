package import CarillonCore
package import CarillonWire

/// The server's end of one connection: the rules of Protocol 2 to 6. It has no sockets and no clock.
///
/// ```swift
/// let (consumed, step) = session.received(bytes, at: now)      // one frame at the front of `bytes`: a LOOKUP
/// if case .pointRead(let read, of: let app, in: let context) = step {
///     session.answer(.device(record), id: context.id)          // `record` is what `read` finds in `app`
/// }
/// socket.send(session.output.take())                           // the frame of the answer
/// ```
///
/// The caller passes bytes and times in, sends what `output` collects, runs the requests that come out and passes
/// their results back. It asks `mayRead` before it reads on, and calls `timerFired` at `deadline`.
///
/// The phases, and the frames that are legal in them:
///
/// ```text
///   phase       legal from the client   leads on
///   transport   nothing                 ── transport ready ──▶ preface
///   preface     a preface               ── version accepted ──▶ hello
///   hello       HELLO, control frames   ── HELLO answered ──▶ open if a certificate names the client, else auth
///   auth        AUTH, control frames    ── AUTH answered ──▶ open;  a wrong key: auth, closed after the last try
///   open        all but HELLO and AUTH  (a drain executes requests for a while, then refuses them with DRAINING)
///   closed      nothing
///
///   from each phase: a fault of scope connection, a deadline, the end of a drain or of the input ──▶ closed
/// ```
///
/// Once SUBSCRIBE_EVENTS is answered, the caller sends events while `canSendEvent` is true. It tries again when
/// EVENT_CREDIT comes out, and when the socket has taken the output. The end of the connection ends all subscriptions.
package struct ServerSession: ~Copyable {
    /// The next step of the caller.
    package enum Step: Hashable, Sendable {
        /// The bytes hold no complete frame: wait for more.
        case needMore
        /// The session has handled a frame itself: call again.
        case proceed
        /// A key to check, before `clientAuthenticated` is called.
        case authenticate(AuthenticateRequest, id: UInt64)
        /// A point read to answer with `answer` or `fail`.
        case pointRead(PointRead, of: AppID, in: RequestContext)
        /// A change to make, whose result goes to `answer` or `fail`.
        case change(Change, of: AppID, in: RequestContext)
        /// Rows to read; the page goes to `answer` or `fail`.
        indirect case longRead(LongReadRequest, in: RequestContext)
        /// Statistics to collect and pass to `answer` or `fail`.
        case statistics(StatisticsRequest, in: RequestContext)
        /// A dry run: the caller counts the message's audience without sending it. The result goes to `answer` or
        /// `fail`.
        indirect case dryRun(Message, in: RequestContext)
        /// An individual request to run, whose result goes to `answer` or `fail`.
        indirect case individual(IndividualRequest, in: RequestContext)
        /// A subscription of events to begin; the result goes to `answer` or `fail`.
        indirect case subscribeEvents(SubscribeEventsRequest, in: RequestContext)
        /// A credit, with an acknowledgement to store if it has one. The caller answers with `answer` or `fail`, and
        /// sends the events that the credit allows.
        case eventCredit(EventCreditRequest, in: RequestContext)
        /// A subscription that has ended: the caller forgets it and answers with `answer`.
        case unsubscribeEvents(UnsubscribeEventsRequest, id: UInt64)
        /// A position of the cluster's log to wait for: the caller reads on when the state contains it, or a bounded
        /// time has passed. The requests that follow have the position in their ``RequestHead``.
        case awaitPosition(UInt64)
        /// The end: the caller sends the bytes in `output`, then closes.
        case close
    }

    /// Pipelined requests of one kind, which the caller runs together. The next frame may continue them.
    package enum Pipeline: Sendable {
        /// Point reads of one operation about one app.
        case pointReads(Opcode, of: AppID)
        /// Changes about one app.
        case changes(of: AppID)
    }

    /// The next request of a pipeline.
    package enum PipelineStep: Hashable, Sendable {
        /// A point read to answer with `answer` or `fail`.
        case pointRead(PointRead, head: RequestHead)
        /// A change to make, whose result goes to `answer` or `fail`.
        case change(Change, head: RequestHead)
        /// The end of the pipeline: the next frame does not continue it, or has not come. Nothing was consumed or
        /// written.
        case endOfPipeline
    }

    let limits: SessionLimits
    /// The number of bytes of `output` at which the caller takes them before it reads on.
    package private(set) var outputPieceBytes: Int
    private(set) var helloAnswer: HelloAnswer
    /// The frames to send, in order; the caller takes them.
    package var output = FrameWriter()

    var state = ServerSessionState()
    var requests = RequestTracker()
    var client: ConnectedClient
    var timers: SessionTimers
    private var positions = SharedLogPositions()

    /// Makes the session of a connection whose transport is not ready yet.
    ///
    /// - Parameter helloAnswer: the answer to HELLO; `isAuthenticated` and `clock` are filled in.
    package init(limits: SessionLimits, helloAnswer: HelloAnswer, now: Uptime) {
        self.limits = limits
        outputPieceBytes = limits.outputPieceBytes
        self.helloAnswer = helloAnswer
        client = ConnectedClient(limits: limits, now: now)
        timers = SessionTimers(limits: limits)
    }

    /// Begins the handshake and its time, because the transport is ready; a second call is ignored.
    ///
    /// - Parameter principal: the client that its certificate names; nil if it has none, or an unknown one.
    package mutating func transportReady(principal: Principal?, at now: Uptime) {
        guard state.transportReady() else { return }
        client.principalChanged(to: principal)
        timers.transportReady(at: now)
    }

    /// The client's name and grants; nil until it has authenticated.
    package var principal: Principal? { client.principal }

    /// Limits the bytes of `output` that are collected before the caller takes them.
    package mutating func limitOutputPieces(to bytes: Int) { outputPieceBytes = bytes }

    /// The node of a cluster that HELLO is answered with; nil if the server belongs to no cluster.
    package var node: HelloAnswer.AnnouncedNode? { helloAnswer.node }

    /// Records that the server has become a node of a cluster. It is too late for a client whose HELLO was answered.
    package mutating func announce(_ node: HelloAnswer.AnnouncedNode) {
        if state.phase == .transport || state.phase == .preface { helloAnswer.node = node }
    }

    package var isTransportReady: Bool { state.phase != .transport }

    /// True if the caller should read on: false while too much is outstanding, and after the end.
    package var mayRead: Bool {
        state.phase != .closed && !state.isInputClosed && requests.count < Int(limits.outstandingRequests)
            && requests.bytes < limits.outstandingBytes
    }

    /// True if the caller must take `output` before it reads on, so that the socket can signal back-pressure.
    package var mustFlush: Bool { output.bytes.count >= outputPieceBytes }

    /// True if the session has ended: the caller closes when `output` is sent.
    package var isClosed: Bool { state.phase == .closed }

    /// The most memory that the requests without an answer take, in bytes.
    package var requestMemory: Int { requests.memoryBytes }

    /// The number of bytes of the incomplete frame that the client has announced; 0 if no frame is incomplete.
    package var incompleteFrameBytes: Int { timers.incompleteFrameBytes }

    /// The most bytes of an answer that the client takes.
    package var maximumAnswerBytes: Int { Int(client.receiveLimit) }

    /// The number of requests without an answer.
    package var outstandingCount: Int { requests.count }

    /// The number of requests of the client that were read and not refused by the session, AUTH included.
    package var requestCount: UInt64 { requests.total }

    // MARK: Positions of the cluster's log (Protocol 6.5)

    /// The greatest position that the client has asked for.
    var requiredPosition: UInt64 { positions.required }

    /// Tells the client the position of this server, if the client does not know it yet. Every change whose answer
    /// follows is at or before this position.
    package mutating func reportPosition(_ position: UInt64) {
        guard helloAnswer.node != nil, state.phase == .open, positions.report(position) else { return }
        output.position(position)
    }

    /// Takes a position that the client has seen, maybe at another node.
    mutating func positionReceived(_ position: UInt64) -> Step {
        guard helloAnswer.node != nil, state.phase == .open, positions.require(position) else { return .proceed }
        return .awaitPosition(position)
    }
}
