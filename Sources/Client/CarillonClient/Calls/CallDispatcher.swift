import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import Logging
import NIOCore

/// Sends the waiting calls of a client on a connection, and returns their answers. There is one queue, one connection
/// for new requests, and any number of connections that only wait for the answers to requests written before.
///
/// Confined to its event loop.
final class CallDispatcher {
    let configuration: CarillonClient.Configuration
    let eventLoop: any EventLoop
    let reporter: Reporter
    let backoff: FailureBackoff
    var generator = SystemRandomNumberGenerator()

    /// The error of every call if the configuration cannot be used; nil if it can.
    private let fault: CarillonError?
    var calls: CallTable
    private var consumers: [ObjectIdentifier: EventConsumer] = [:]
    private let expiryTimer: EarliestDeadlineTimer

    // Commands of the tasks; `takeCommands` carries them out.
    let inbox: CallInbox
    var commandPacing = CommandPacing()

    // The connections; `CallDispatcher+Connections` decides about them.
    let addresses: [CarillonClient.Configuration.Address]
    let connector: ServerConnector
    let sessionOptions: ClientSessionOptions
    /// The greatest position that the client has seen in the log of a cluster.
    let positions: SeenPosition
    var servers: ServerSelection
    /// The connection for new requests; nil if there is none.
    var current: ClientConnection?
    /// The connections whose channel is not gone, `current` included.
    var connections: [ObjectIdentifier: ClientConnection] = [:]
    let keyReader: APIKeyReader
    /// The history of the server that was connected last; nil before the first connection.
    var epoch: UUIDBytes?
    let reconnectTimer: EarliestDeadlineTimer

    private(set) var isClosing = false
    private var isClosed = false
    private var closeContinuations: [CheckedContinuation<Void, Never>] = []

    init(
        _ configuration: CarillonClient.Configuration, eventLoop: any EventLoop, inbox: CallInbox = CallInbox(),
        positions: SeenPosition = SeenPosition(), logger: Logger? = nil
    ) {
        self.inbox = inbox
        self.positions = positions
        self.configuration = configuration
        self.eventLoop = eventLoop
        fault = configuration.fault
        calls = CallTable(configuration)
        var addresses = configuration.addresses
        if configuration.addressOrder == .shuffled { addresses.shuffle() }
        self.addresses = addresses
        reporter = Reporter(configuration.hooks, logger: logger)
        let connector = ServerConnector(configuration, eventLoop: eventLoop)
        self.connector = connector
        keyReader = APIKeyReader(connector, eventLoop: eventLoop)
        backoff = FailureBackoff(configuration)
        sessionOptions = ClientSessionOptions(configuration)
        servers = ServerSelection(
            count: addresses.count, backoff: backoff, refusalPauseMilliseconds: configuration.refusalPause.milliseconds)
        reconnectTimer = EarliestDeadlineTimer(eventLoop)
        expiryTimer = EarliestDeadlineTimer(eventLoop)
        reconnectTimer.action = { [unowned self] in submitWaiting() }
        expiryTimer.action = { [unowned self] in failExpired() }
    }

    // MARK: Callers

    /// Begins a call; its continuation is resumed exactly once.
    func begin(_ call: Call, id: UInt64) {
        if let refusal = refusal(of: call) {
            reporter.callEnded(call, with: .failure(refusal))
            return call.continuation.resume(returning: .failure(call.finalError(refusal)))
        }
        calls.insert(call, id: id)
        if case .connect = call.kind {
            guard current?.hasOpened != true else { return complete(id, with: .success(.connected)) }
            expiryTimer.arm(at: call.deadline)
            return connectIfNeeded()
        }
        // Usually there is room, and no other call waits.
        if calls.isQueueEmpty, let connection = current, connection.hasOpened, connection.isWritable,
            start(call, id: id, on: connection) == .handled
        {
            return
        }
        enqueue(id)
        submitWaiting()
    }

    /// Returns the error of a call that is refused at once; nil if it may begin.
    private func refusal(of call: Call) -> CarillonError? {
        if let fault { return fault }
        if isClosing { return Self.closed }
        if call.wasCancelled { return .taskCancelled }
        return calls.refusal(of: call)
    }

    static let closed = CarillonError(.closed, message: "the client was closed")

    func cancel(_ id: UInt64) {
        abandon(id, with: .taskCancelled)
    }

    /// Starts a subscription of events, and keeps it until it ends.
    func begin(_ consumer: EventConsumer) {
        if let fault { return consumer.end(fault) }
        guard !isClosing else { return consumer.end(Self.closed) }
        let id = ObjectIdentifier(consumer)
        consumers[id] = consumer
        consumer.setHandlers(
            onReady: { [weak self] in self?.submitWaiting() },
            onEnd: { [weak self] in
                self?.consumers[id] = nil
                self?.finishClosingIfIdle()
            })
        consumer.begin()
        submitWaiting()
    }

    // MARK: Closing

    /// Stops accepting calls and closes all connections when the calls under way have ended, or the drain timeout has
    /// passed; then resumes the continuation.
    func close(drainTimeout: Duration, continuation: CheckedContinuation<Void, Never>) {
        closeContinuations.append(continuation)
        if !isClosing {
            isClosing = true
            let isOpen = current?.hasOpened == true
            for (id, call) in calls.elements {
                switch call.state {
                case .written: continue
                case .waiting where isOpen: continue
                case .waiting, .pausing, .connecting: abandon(id, with: Self.closed)
                }
            }
            for consumer in Array(consumers.values) { consumer.close() }
            let delay = TimeAmount.milliseconds(Int64(clamping: drainTimeout.milliseconds))
            eventLoop.assumeIsolated().scheduleTask(in: delay) { [weak self] in self?.abandonRemaining() }
        }
        finishClosingIfIdle()
    }

    /// Abandons the calls and ends the consumers that are left when the drain timeout has passed.
    private func abandonRemaining() {
        for consumer in Array(consumers.values) { consumer.end(nil) }
        for (id, _) in calls.elements { abandon(id, with: Self.closed) }
        connections.values.forEach { $0.closeNow() }
        finishClosingIfIdle()
    }

    /// Closes at once, because the client object is gone.
    func closeNow() {
        isClosing = true
        abandonRemaining()
    }

    /// Closes the connections of a client that is closing, once it has neither calls nor subscriptions; then resumes
    /// the callers of `close`.
    func finishClosingIfIdle() {
        guard isClosing, calls.isEmpty, consumers.isEmpty else { return }
        reconnectTimer.cancel()
        expiryTimer.cancel()
        connections.values.forEach { $0.closeWhenAnswered() }
        guard connections.isEmpty else { return }
        if !isClosed { reporter.stateChanged(.closed) }
        isClosed = true
        closeContinuations.forEach { $0.resume() }
        closeContinuations = []
    }

    // MARK: The queue

    private func enqueue(_ id: UInt64, atFront: Bool = false) {
        calls.enqueue(id, atFront: atFront)
        expiryTimer.arm(at: calls[id]?.deadline)
    }

    /// True if a call or a consumer waits for a connection.
    var wantsConnection: Bool {
        calls.wantsConnection || consumers.values.contains { $0.wantsConnection }
    }

    /// Sends waiting calls as long as there is room; connects if there is no connection.
    func submitWaiting() {
        if !consumers.isEmpty {
            for consumer in Array(consumers.values) { consumer.sendDue(on: current) }
        }
        while let (id, call) = calls.firstWaiting() {
            guard let connection = current, connection.hasOpened, connection.isWritable else { break }
            calls.removeFirstWaiting()
            guard start(call, id: id, on: connection) == .handled else {
                calls.enqueue(id, atFront: true)
                break
            }
        }
        if current == nil { connectIfNeeded() }
    }

    /// The result of starting a waiting call.
    private enum StartResult {
        /// The call was sent, or has ended: it leaves the queue.
        case handled
        /// The call stays in the queue.
        case mustWait
    }

    /// Sends a waiting call, or ends it.
    private func start(_ call: Call, id: UInt64, on connection: ClientConnection) -> StartResult {
        guard let helloAnswer = connection.helloAnswer else { return .mustWait }
        switch call.kind {
        case .serverInfo:
            let info = ServerInfo(helloAnswer, authenticateAnswer: connection.authenticateAnswer)
            complete(id, with: .success(.serverInfo(info)))
            return .handled
        case .ping:
            return startPing(call, id: id, on: connection)
        case .connect:
            complete(id, with: .success(.connected))
            return .handled
        case .request(let request):
            return send(request, of: call, id: id, on: connection, server: helloAnswer)
        }
    }

    /// Sends the request of a call, or ends the call if the server may have forgotten its key.
    private func send(
        _ request: PreparedRequest, of call: Call, id: UInt64, on connection: ClientConnection, server: HelloAnswer
    ) -> StartResult {
        let now = Clock.uptime()
        if call.attempts > 0, call.serverFound(server, at: now) == .fail {
            let error = CarillonError(.connectionLost, message: "the connection has ended")
            fail(id, with: call.lastError ?? error)
            return .handled
        }
        switch connection.submit(request.encoded, call: id, deadline: call.deadline, at: now) {
        case .sent(let number):
            calls.move(id, to: .written(on: connection, request: number))
            call.attemptWritten(at: now, epoch: server.epoch, to: connection.address)
            return .handled
        case .refused(let error):
            fail(id, with: CarillonError(error))
            return .handled
        case .sendLater, .sendOnAnotherConnection:
            return .mustWait
        }
    }

    private func startPing(_ call: Call, id: UInt64, on connection: ClientConnection) -> StartResult {
        switch connection.ping(call: id) {
        case .sent, .underWay:
            calls.move(id, to: .written(on: connection, request: nil))
            call.attemptWritten(at: Clock.uptime(), epoch: .zero, to: connection.address)
            expiryTimer.arm(at: call.deadline)
        case .tooSoon(let until): pause(id, milliseconds: until.milliseconds(since: Clock.uptime()))
        case .notOpen: return .mustWait
        }
        return .handled
    }

    /// Schedules another attempt after a pause.
    func pause(_ id: UInt64, milliseconds: UInt64) {
        calls.move(id, to: .pausing)
        expiryTimer.arm(at: calls[id]?.deadline)
        let delay = TimeAmount.milliseconds(Int64(clamping: milliseconds))
        eventLoop.assumeIsolated().scheduleTask(in: delay) { [weak self] in
            guard let self, case .pausing = calls[id]?.state else { return }
            enqueue(id)
            submitWaiting()
        }
    }

    /// Returns calls to the front of the queue, in their order.
    func requeue(_ ids: [UInt64]) {
        for id in ids.sorted(by: >) where calls[id] != nil {
            if isClosing {
                // The call is no longer on a connection: its state must not say so when it ends.
                calls.move(id, to: .pausing)
                abandon(id, with: Self.closed)
            } else {
                enqueue(id, atFront: true)
            }
        }
    }

    /// Fails all calls and consumers that wait for a connection.
    func failWaiting(_ error: CarillonError, where isMeant: (EventConsumer) -> Bool) {
        for id in calls.connectingIDs { abandon(id, with: error) }
        for id in calls.waitingIDs { abandon(id, with: error) }
        for consumer in consumers.values.filter(isMeant) { consumer.end(error) }
    }

    /// Tells the consumers that a connection accepts no new requests.
    func detachConsumers(from connection: ClientConnection) {
        if !consumers.isEmpty { Array(consumers.values).forEach { $0.connectionLost(connection) } }
    }

    private func failExpired() {
        let now = Clock.uptime()
        var next = Uptime.max
        for (id, call) in calls.elements {
            // The session of the connection knows the deadline of a request that was sent.
            if case .written(_, .some) = call.state { continue }
            if call.deadline <= now { callExpired(id, wasWritten: false) } else { next = min(next, call.deadline) }
        }
        expiryTimer.arm(at: next)
    }

    // MARK: Results

    /// Removes a call, and gives its result to the program.
    func complete(_ id: UInt64, with result: Result<CallResult, CarillonError>) {
        guard let call = calls.remove(id) else { return }
        // The hooks run before the program goes on, so that it finds its call counted.
        reporter.callEnded(call, with: result)
        call.continuation.resume(returning: result)
        if isClosing { finishClosingIfIdle() }
    }

    /// Completes a call with the error of its last attempt.
    func fail(_ id: UInt64, with error: CarillonError) {
        guard let call = calls[id] else { return }
        complete(id, with: .failure(call.finalError(error)))
    }

    /// Fails a call in whatever state it is, and waits no longer for its answer.
    func abandon(_ id: UInt64, with error: CarillonError) {
        guard let call = calls[id] else { return }
        var error = error
        if case .written(let connection, let number) = call.state {
            error.effect = .unknown
            if let number { connection.abandon(request: number) } else { connection.abandon(pingOf: id) }
        }
        fail(id, with: error)
    }
}
