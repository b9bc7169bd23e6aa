import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import Logging
import NIOCore

/// Sends queued calls on a connection and returns their answers. There is one queue, one connection for new requests,
/// and any number of connections that only wait for answers that are still to come.
///
/// Confined to its event loop.
final class CallDispatcher {
    private let configuration: CarillonClient.Configuration
    private let eventLoop: any EventLoop
    private let connector: ServerConnector
    private let backoff: Backoff
    private let settings: ClientSessionSettings
    private var generator = SystemRandomNumberGenerator()

    private var calls: [UInt64: Call] = [:]
    /// Calls in order; those that are not queued any more are skipped.
    private var queue = CircularBuffer<UInt64>()
    private var queuedCount = 0
    private var consumers: [ObjectIdentifier: EventConsumer] = [:]
    private var current: ClientConnection?
    /// Every connection whose channel is not gone, `current` included.
    private var connections: [ObjectIdentifier: ClientConnection] = [:]
    /// Attempts to connect that have failed since the last answer.
    private var failures = 0
    private var connectNotBefore: Uptime = 0
    /// Why the last attempt to connect failed, until one succeeds.
    private var connectionError: CarillonError?
    private let reconnectTimer: RestartableTimer
    private let expiryTimer: RestartableTimer
    private let log: ClientLog
    private var isClosing = false
    private var closeContinuations: [CheckedContinuation<Void, Never>] = []

    init(_ configuration: CarillonClient.Configuration, _ eventLoop: any EventLoop, logger: Logger? = nil) {
        self.configuration = configuration
        log = ClientLog(logger, server: configuration.address)
        self.eventLoop = eventLoop
        connector = ServerConnector(configuration, eventLoop)
        backoff = Backoff(configuration)
        settings = ClientSessionSettings(configuration)
        reconnectTimer = RestartableTimer(eventLoop)
        expiryTimer = RestartableTimer(eventLoop)
        reconnectTimer.action = { [unowned self] in submitQueued() }
        expiryTimer.action = { [unowned self] in failExpired() }
    }

    // MARK: Callers

    /// Queues a call; its continuation is resumed exactly once.
    func begin(_ id: UInt64, _ call: Call) {
        guard !isClosing else {
            let error = CarillonError(.closed, message: "the client was closed")
            return call.continuation.resume(returning: .failure(error))
        }
        guard queuedCount < max(configuration.maximumWaitingRequests, 1) else {
            let text = "\(queuedCount) calls wait already"
            let error = CarillonError(.overloaded, retryAfter: .milliseconds(100), message: text)
            return call.continuation.resume(returning: .failure(error))
        }
        calls[id] = call
        queuedCount += 1
        enqueue(id)
        submitQueued()
    }

    /// Ends a call whose task was cancelled.
    func cancel(_ id: UInt64) {
        end(id, CarillonError(.cancelled, retryAfter: .zero, message: "the task was cancelled"))
    }

    /// Keeps a subscription of events until it ends.
    func begin(_ consumer: EventConsumer) {
        let id = ObjectIdentifier(consumer)
        consumers[id] = consumer
        consumer.onReady = { [weak self] in self?.submitQueued() }
        consumer.onEnd = { [weak self] in self?.consumers[id] = nil }
        consumer.begin()
        guard !isClosing else { return consumer.end(CarillonError(.closed, message: "the client was closed")) }
        submitQueued()
    }

    /// Accepts no more calls; resumes when all calls have ended and all connections are closed.
    func close(_ continuation: CheckedContinuation<Void, Never>?) {
        isClosing = true
        endConsumers(nil)
        if let continuation { closeContinuations.append(continuation) }
        finishIfDone()
    }

    /// Closes at once: the client object is gone.
    func abandon() {
        isClosing = true
        endConsumers(nil)
        for id in Array(calls.keys) { end(id, CarillonError(.closed, message: "the client is gone")) }
        connections.values.forEach { $0.closeNow() }
    }

    private func endConsumers(_ error: CarillonError?, where isMeant: (EventConsumer) -> Bool = { _ in true }) {
        for consumer in consumers.values.filter(isMeant) { consumer.end(error) }
    }

    private func finishIfDone() {
        guard isClosing, calls.isEmpty else { return }
        reconnectTimer.cancel()
        expiryTimer.cancel()
        connections.values.forEach { $0.finish() }
        guard connections.isEmpty else { return }
        closeContinuations.forEach { $0.resume() }
        closeContinuations = []
    }

    // MARK: The queue

    private func enqueue(_ id: UInt64, atFront: Bool = false) {
        if atFront { queue.prepend(id) } else { queue.append(id) }
        expiryTimer.arm(at: calls[id]?.deadline)
        // Calls that have ended meanwhile leave their ids in the queue.
        if queue.count > 2 * queuedCount + 64 { queue = CircularBuffer(queue.filter { isQueued($0) }) }
    }

    private func isQueued(_ id: UInt64) -> Bool {
        if case .queued = calls[id]?.state { true } else { false }
    }

    /// Sends queued calls as long as there is room; connects if there is no connection.
    func submitQueued() {
        for consumer in Array(consumers.values) { consumer.sendDue(on: current) }
        if current == nil, consumers.values.contains(where: \.wantsConnection) { connectWhenDue() }
        while let id = queue.first {
            guard isQueued(id) else {
                queue.removeFirst()
                continue
            }
            guard let connection = current else { return connectWhenDue() }
            guard connection.isOpen, connection.hasRoom else { return }
            queue.removeFirst()
            guard start(id, on: connection) else { return queue.prepend(id) }
        }
    }

    /// Sends the call, or ends it; false if it must stay in the queue.
    private func start(_ id: UInt64, on connection: ClientConnection) -> Bool {
        guard let call = calls[id], let helloAnswer = connection.helloAnswer else { return true }
        switch call.command {
        case .information:
            complete(id, .success(.information(ServerInformation(helloAnswer, connection.identity))))
            return true
        case .ping:
            return startPing(id, on: connection)
        case .request(let request):
            let now = Clock.uptime()
            guard call.mayRepeat(at: now, to: helloAnswer) else {
                let error = call.lastError ?? CarillonError(.connectionLost, message: "the connection has ended")
                complete(id, .failure(call.finalError(error)))
                return true
            }
            switch connection.submit(request, call: id, deadline: call.deadline) {
            case .sent(let number):
                move(id, to: .sent(connection, number))
                if call.firstSent == nil { calls[id]?.firstSent = (now, helloAnswer.epoch) }
                return true
            case .refused(let reply):
                complete(id, .failure(call.finalError(CarillonError(reply))))
                return true
            case .wait, .elsewhere:
                return false
            }
        }
    }

    private func startPing(_ id: UInt64, on connection: ClientConnection) -> Bool {
        switch connection.ping(call: id) {
        case .sent, .underWay: move(id, to: .sent(connection, nil))
        case .tooSoon(let until): pause(id, milliseconds: until.milliseconds(since: Clock.uptime()))
        case .notOpen: return false
        }
        return true
    }

    private func move(_ id: UInt64, to state: Call.State) {
        if isQueued(id) { queuedCount -= 1 }
        calls[id]?.state = state
        if case .queued = state { queuedCount += 1 }
    }

    private func pause(_ id: UInt64, milliseconds: UInt64) {
        move(id, to: .backingOff)
        expiryTimer.arm(at: calls[id]?.deadline)
        let delay = TimeAmount.milliseconds(Int64(clamping: milliseconds))
        eventLoop.assumeIsolated().scheduleTask(in: delay) { [weak self] in
            guard let self, case .backingOff = calls[id]?.state else { return }
            move(id, to: .queued)
            enqueue(id)
            submitQueued()
        }
    }

    /// Returns calls to the front of the queue, in their order.
    private func requeue(_ ids: [UInt64]) {
        for id in ids.sorted(by: >) where calls[id] != nil {
            move(id, to: .queued)
            enqueue(id, atFront: true)
        }
    }

    private func failExpired() {
        let now = Clock.uptime()
        var next = Uptime.max
        for (id, call) in calls {
            // The session of the connection knows the deadline of a request that was sent.
            if case .sent(_, .some) = call.state { continue }
            if call.deadline <= now { expired(id, wasSent: false) } else { next = min(next, call.deadline) }
        }
        expiryTimer.arm(at: next)
    }

    // MARK: Results

    private func complete(_ id: UInt64, _ result: Result<CallResult, CarillonError>) {
        if isQueued(id) { queuedCount -= 1 }
        guard let call = calls.removeValue(forKey: id) else { return }
        call.continuation.resume(returning: result)
        finishIfDone()
    }

    /// Ends a call that is not answered, whatever its state.
    private func end(_ id: UInt64, _ error: CarillonError) {
        guard let call = calls[id] else { return }
        var error = error
        if case .sent(let connection, let number) = call.state {
            error.effect = .unknown
            if let number { connection.abandon(request: number) } else { connection.abandon(pingOf: id) }
        }
        complete(id, .failure(call.finalError(error)))
    }

    /// Ends a call whose deadline has passed.
    func expired(_ id: UInt64, wasSent: Bool) {
        guard let call = calls[id] else { return }
        let cause = call.lastError ?? (wasSent ? nil : connectionError)
        let text = wasSent ? "no answer in time" : "not done in time"
        // Without a connection, its error is the one that the operator must see.
        let isCutOff = !wasSent && current?.isOpen != true && cause?.code == .notConnected
        let code: CarillonError.Code = isCutOff ? .notConnected : .timeout
        let message = cause.map { "\(text): \($0.message)" } ?? text
        end(id, CarillonError(code, effect: wasSent ? .unknown : .notExecuted, retryAfter: .zero, message: message))
    }

    /// A request was answered.
    func answered(_ id: UInt64, _ answer: AnyAnswer) {
        failures = 0
        complete(id, .success(.answer(answer)))
    }

    /// A ping was answered.
    func ponged(_ id: UInt64, _ roundTrip: Duration) {
        failures = 0
        complete(id, .success(.roundTrip(roundTrip)))
    }

    /// A request was refused on a connection that stays open.
    func refused(_ id: UInt64, _ error: CarillonError) {
        failures = 0
        attemptFailed(id, error)
    }

    /// Schedules another attempt if that is safe and can help; else ends the call.
    private func attemptFailed(_ id: UInt64, _ error: CarillonError) {
        guard var call = calls[id] else { return }
        call.attempts += 1
        let pause = backoff.pause(failures: call.attempts, using: &generator)
        let delay = call.attemptFailed(error, pause: pause, at: Clock.uptime())
        calls[id] = call
        if let delay {
            self.pause(id, milliseconds: delay)
        } else {
            complete(id, .failure(call.finalError(error)))
        }
    }

    // MARK: Connections

    private func connectWhenDue() {
        let now = Clock.uptime()
        guard now >= connectNotBefore else { return reconnectTimer.arm(at: connectNotBefore) }
        let connection = ClientConnection(self, settings: settings, eventLoop: eventLoop)
        current = connection
        connections[ObjectIdentifier(connection)] = connection
        connector.connect(connection).assumeIsolated().whenFailure { failure in
            // A channel that became active reports its end itself.
            guard self.connections[ObjectIdentifier(connection)] != nil, connection.helloAnswer == nil else { return }
            let error = CarillonError(connecting: failure)
            self.connectionEnded(connection, error, named: nil, unanswered: [])
            self.channelClosed(connection)
        }
    }

    /// Requests may be sent.
    func connectionOpened(_ connection: ClientConnection) {
        log.opened(after: failures)
        connectionError = nil
        submitQueued()
    }

    /// The server is stopping: it answers the requests that it has; the others go to the next connection.
    func connectionGoingAway(_ connection: ClientConnection, reconnectAfter: UInt64, notExecuted: [UInt64]) {
        if current === connection {
            current = nil
            connectNotBefore = max(connectNotBefore, Clock.uptime() + reconnectAfter)
            log.goingAway(reconnectAfter: reconnectAfter)
        }
        consumers.values.forEach { $0.connectionLost(connection) }
        requeue(notExecuted)
        submitQueued()
    }

    /// A connection has ended, or could not be made.
    func connectionEnded(_ connection: ClientConnection, _ error: CarillonError, named: UInt64?, unanswered: [UInt64]) {
        let wasCurrent = current === connection
        if wasCurrent { current = nil }
        if let named { attemptFailed(named, error) }
        var again: [UInt64] = []
        for id in unanswered {
            guard var call = calls[id] else { continue }
            let lost = CarillonError(.connectionLost, effect: .unknown, retryAfter: .zero, message: error.message)
            let mayRepeat = call.attemptFailed(lost, pause: 0, at: Clock.uptime()) != nil
            calls[id] = call
            if mayRepeat { again.append(id) } else { complete(id, .failure(call.finalError(lost))) }
        }
        requeue(again)
        consumers.values.forEach { $0.connectionLost(connection) }
        if wasCurrent { recordFailure(error, hadOpened: connection.isOpen) }
        submitQueued()
    }

    private func recordFailure(_ error: CarillonError, hadOpened: Bool) {
        failures += 1
        let pause = max(
            backoff.pause(failures: failures, using: &generator),
            error.retryAfter.map { min($0.milliseconds, backoff.maximum) } ?? 0
        )
        connectNotBefore = max(connectNotBefore, Clock.uptime() + pause)
        if !isClosing { log.ended(error, hadOpened: hadOpened, failures: failures, pause: pause) }
        guard !hadOpened else { return }
        var error = error
        if error.code == .connectionLost { error.code = .notConnected }
        error.effect = .notExecuted
        error.message = "\(configuration.address): \(error.message)"
        connectionError = error
        let isFinal = error.retryAfter == nil || configuration.connectionAttempts.map { failures >= $0 } ?? false
        guard isFinal else { return }
        for id in queue where isQueued(id) { end(id, error) }
        // A subscription that the server has accepted tries again, as long as that can help.
        endConsumers(error) { !$0.isOpen || error.retryAfter == nil }
    }

    /// A channel is gone.
    func channelClosed(_ connection: ClientConnection) {
        connections[ObjectIdentifier(connection)] = nil
        if current === connection { current = nil }
        finishIfDone()
        submitQueued()
    }
}

extension ClientSessionSettings {
    init(_ configuration: CarillonClient.Configuration) {
        var software = configuration.software.isEmpty ? "carillon-swift" : configuration.software
        while software.utf8.count > 64 { software.removeLast() }
        self.init(software: software, credential: configuration.apiKey.map { Array($0.utf8) })
        handshakeMilliseconds = max(configuration.connectTimeout.milliseconds, 1)
    }
}
