import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// Brings calls to a connection and their answers back: one queue, one connection that takes new requests, and those that
/// only finish what they have.
///
/// Confined to its event loop.
final class Dispatcher {
    private let configuration: CarillonClient.Configuration
    private let eventLoop: any EventLoop
    private let connector: ServerConnector
    private let backoff: Backoff
    private let settings: ClientSessionSettings
    private var generator = SystemRandomNumberGenerator()

    private var calls: [UInt64: Call] = [:]
    /// Calls in order; those no longer waiting are skipped.
    private var queue = CircularBuffer<UInt64>()
    private var waitingCount = 0
    private var feeds: [ObjectIdentifier: EventConsumer] = [:]
    private var current: ClientConnection?
    /// Every link whose channel is not gone, `current` included.
    private var links: [ObjectIdentifier: ClientConnection] = [:]
    /// Failed tries to connect since the last answer.
    private var failures = 0
    private var connectNotBefore: UInt64 = 0
    /// Why the last try to connect failed, until one succeeds.
    private var connectionError: CarillonError?
    private let reconnect: RestartableTimer
    private let sweep: RestartableTimer
    private var isClosing = false
    private var closers: [CheckedContinuation<Void, Never>] = []

    init(_ configuration: CarillonClient.Configuration, _ eventLoop: any EventLoop) {
        self.configuration = configuration
        self.eventLoop = eventLoop
        connector = ServerConnector(configuration, eventLoop)
        backoff = Backoff(configuration)
        settings = ClientSessionSettings(configuration)
        reconnect = RestartableTimer(eventLoop)
        sweep = RestartableTimer(eventLoop)
        reconnect.action = { [unowned self] in pump() }
        sweep.action = { [unowned self] in sweepExpired() }
    }

    // MARK: Orders of callers

    /// Takes a call; its continuation is resumed exactly once.
    func begin(_ id: UInt64, _ call: Call) {
        guard !isClosing else {
            let error = CarillonError(.closed, message: "the client was closed")
            return call.continuation.resume(returning: .failure(error))
        }
        guard waitingCount < max(configuration.maximumWaitingRequests, 1) else {
            let text = "\(waitingCount) calls wait already"
            let error = CarillonError(.overloaded, retryAfter: .milliseconds(100), message: text)
            return call.continuation.resume(returning: .failure(error))
        }
        calls[id] = call
        waitingCount += 1
        enqueue(id)
        pump()
    }

    /// The caller waits no longer.
    func cancel(_ id: UInt64) {
        end(id, CarillonError(.cancelled, retryAfter: .zero, message: "the task was cancelled"))
    }

    /// Takes a feed of events, which lives until it ends.
    func begin(_ feed: EventConsumer) {
        let id = ObjectIdentifier(feed)
        feeds[id] = feed
        feed.wantsTurn = { [weak self] in self?.pump() }
        feed.hasEnded = { [weak self] in self?.feeds[id] = nil }
        feed.begin()
        guard !isClosing else { return feed.end(CarillonError(.closed, message: "the client was closed")) }
        pump()
    }

    /// Takes no more calls, and resumes when all are done and all connections closed.
    func close(_ continuation: CheckedContinuation<Void, Never>?) {
        isClosing = true
        endFeeds(nil)
        if let continuation { closers.append(continuation) }
        finishIfDone()
    }

    /// Closes at once: nobody can ask any more.
    func abandon() {
        isClosing = true
        endFeeds(nil)
        for id in Array(calls.keys) { end(id, CarillonError(.closed, message: "the client is gone")) }
        links.values.forEach { $0.cut() }
    }

    private func endFeeds(_ error: CarillonError?, where isMeant: (EventConsumer) -> Bool = { _ in true }) {
        for feed in feeds.values.filter(isMeant) { feed.end(error) }
    }

    private func finishIfDone() {
        guard isClosing, calls.isEmpty else { return }
        reconnect.cancel()
        sweep.cancel()
        links.values.forEach { $0.finish() }
        guard links.isEmpty else { return }
        closers.forEach { $0.resume() }
        closers = []
    }

    // MARK: The queue

    private func enqueue(_ id: UInt64, atFront: Bool = false) {
        if atFront { queue.prepend(id) } else { queue.append(id) }
        sweep.arm(at: calls[id]?.deadline)
        // Calls that were given up leave their number behind.
        if queue.count > 2 * waitingCount + 64 { queue = CircularBuffer(queue.filter { isWaiting($0) }) }
    }

    private func isWaiting(_ id: UInt64) -> Bool {
        if case .waiting = calls[id]?.stage { true } else { false }
    }

    /// Sends what waits, as far as there is room, and sees to a connection if there is none.
    func pump() {
        for feed in Array(feeds.values) { feed.advance(current) }
        if current == nil, feeds.values.contains(where: \.wantsConnection) { connectWhenDue() }
        while let id = queue.first {
            guard isWaiting(id) else {
                queue.removeFirst()
                continue
            }
            guard let link = current else { return connectWhenDue() }
            guard link.isOpen, link.hasRoom else { return }
            queue.removeFirst()
            guard start(id, on: link) else { return queue.prepend(id) }
        }
    }

    /// Answers whether the call has left the queue.
    private func start(_ id: UInt64, on link: ClientConnection) -> Bool {
        guard let call = calls[id], let welcome = link.welcome else { return true }
        switch call.operation {
        case .information:
            complete(id, .success(.information(ServerInformation(welcome, link.identity))))
            return true
        case .ping:
            return startPing(id, on: link)
        case .request(let request):
            let now = RestartableTimer.now
            guard call.mayRepeat(at: now, to: welcome) else {
                let error = call.lastError ?? CarillonError(.connectionLost, message: "the connection has ended")
                complete(id, .failure(call.final(error)))
                return true
            }
            switch link.submit(request, call: id, deadline: call.deadline) {
            case .sent(let number):
                move(id, to: .sent(link, number))
                if call.firstSent == nil { calls[id]?.firstSent = (now, welcome.epoch) }
                return true
            case .refused(let reply):
                complete(id, .failure(call.final(CarillonError(reply))))
                return true
            case .wait, .elsewhere:
                return false
            }
        }
    }

    private func startPing(_ id: UInt64, on link: ClientConnection) -> Bool {
        switch link.ping(call: id) {
        case .sent, .underWay: move(id, to: .sent(link, nil))
        case .tooSoon(let until): pause(id, milliseconds: until - min(until, RestartableTimer.now))
        case .notOpen: return false
        }
        return true
    }

    private func move(_ id: UInt64, to stage: Call.Stage) {
        if isWaiting(id) { waitingCount -= 1 }
        calls[id]?.stage = stage
        if case .waiting = stage { waitingCount += 1 }
    }

    private func pause(_ id: UInt64, milliseconds: UInt64) {
        move(id, to: .pausing)
        sweep.arm(at: calls[id]?.deadline)
        let delay = TimeAmount.milliseconds(Int64(clamping: milliseconds))
        eventLoop.assumeIsolated().scheduleTask(in: delay) { [weak self] in
            guard let self, case .pausing = calls[id]?.stage else { return }
            move(id, to: .waiting)
            enqueue(id)
            pump()
        }
    }

    /// Puts calls back to the front, in their order.
    private func requeue(_ ids: [UInt64]) {
        for id in ids.sorted(by: >) where calls[id] != nil {
            move(id, to: .waiting)
            enqueue(id, atFront: true)
        }
    }

    private func sweepExpired() {
        let now = RestartableTimer.now
        var next = UInt64.max
        for (id, call) in calls {
            // The session of its connection watches a request that was sent.
            if case .sent(_, .some) = call.stage { continue }
            if call.deadline <= now { expired(id, wasSent: false) } else { next = min(next, call.deadline) }
        }
        sweep.arm(at: next)
    }

    // MARK: Results

    private func complete(_ id: UInt64, _ result: Result<Reply, CarillonError>) {
        if isWaiting(id) { waitingCount -= 1 }
        guard let call = calls.removeValue(forKey: id) else { return }
        call.continuation.resume(returning: result)
        finishIfDone()
    }

    /// Ends a call that is not answered, wherever it stands.
    private func end(_ id: UInt64, _ error: CarillonError) {
        guard let call = calls[id] else { return }
        var error = error
        if case .sent(let link, let number) = call.stage {
            error.effect = .unknown
            if let number { link.abandon(request: number) } else { link.abandon(pingOf: id) }
        }
        complete(id, .failure(call.final(error)))
    }

    /// The time of a call has passed.
    func expired(_ id: UInt64, wasSent: Bool) {
        guard let call = calls[id] else { return }
        let cause = call.lastError ?? (wasSent ? nil : connectionError)
        let text = wasSent ? "no answer in time" : "not done in time"
        // Without a connection it is the connection that people have to look after.
        let isCutOff = !wasSent && current?.isOpen != true && cause?.code == .notConnected
        let code: CarillonError.Code = isCutOff ? .notConnected : .timeout
        let message = cause.map { "\(text): \($0.message)" } ?? text
        end(id, CarillonError(code, effect: wasSent ? .unknown : .notExecuted, retryAfter: .zero, message: message))
    }

    /// A request was answered.
    func answered(_ id: UInt64, _ response: Response) {
        failures = 0
        complete(id, .success(.response(response)))
    }

    /// A ping was answered.
    func ponged(_ id: UInt64, _ roundTrip: Duration) {
        failures = 0
        complete(id, .success(.roundTrip(roundTrip)))
    }

    /// A request was refused on a connection that goes on.
    func refused(_ id: UInt64, _ error: CarillonError) {
        failures = 0
        tryFailed(id, error)
    }

    /// Tries again, if that is safe and can help; else the call has failed.
    private func tryFailed(_ id: UInt64, _ error: CarillonError) {
        guard var call = calls[id] else { return }
        call.tries += 1
        let pause = backoff.pause(failures: call.tries, using: &generator)
        let delay = call.failed(error, pause: pause, at: RestartableTimer.now)
        calls[id] = call
        if let delay {
            self.pause(id, milliseconds: delay)
        } else {
            complete(id, .failure(call.final(error)))
        }
    }

    // MARK: Connections

    private func connectWhenDue() {
        let now = RestartableTimer.now
        guard now >= connectNotBefore else { return reconnect.arm(at: connectNotBefore) }
        let link = ClientConnection(self, settings, eventLoop)
        current = link
        links[ObjectIdentifier(link)] = link
        connector.connect(link).assumeIsolated().whenFailure { failure in
            // A channel that became active says its end itself.
            guard self.links[ObjectIdentifier(link)] != nil, link.welcome == nil else { return }
            let error = CarillonError(connecting: failure)
            self.linkEnded(link, error, named: nil, unanswered: [])
            self.linkInactive(link)
        }
    }

    /// Requests may be sent.
    func linkOpened(_ link: ClientConnection) {
        connectionError = nil
        pump()
    }

    /// The server is stopping: what it has it finishes, the rest goes to the next connection.
    func linkGoingAway(_ link: ClientConnection, reconnectAfter: UInt64, notExecuted: [UInt64]) {
        if current === link {
            current = nil
            connectNotBefore = max(connectNotBefore, RestartableTimer.now + reconnectAfter)
        }
        feeds.values.forEach { $0.lost(link) }
        requeue(notExecuted)
        pump()
    }

    /// A connection has ended, or none came about.
    func linkEnded(_ link: ClientConnection, _ error: CarillonError, named: UInt64?, unanswered: [UInt64]) {
        let wasCurrent = current === link
        if wasCurrent { current = nil }
        if let named { tryFailed(named, error) }
        var again: [UInt64] = []
        for id in unanswered {
            guard var call = calls[id] else { continue }
            let lost = CarillonError(.connectionLost, effect: .unknown, retryAfter: .zero, message: error.message)
            let mayRepeat = call.failed(lost, pause: 0, at: RestartableTimer.now) != nil
            calls[id] = call
            if mayRepeat { again.append(id) } else { complete(id, .failure(call.final(lost))) }
        }
        requeue(again)
        feeds.values.forEach { $0.lost(link) }
        if wasCurrent { connectionFailed(error, hadOpened: link.isOpen) }
        pump()
    }

    private func connectionFailed(_ error: CarillonError, hadOpened: Bool) {
        failures += 1
        let pause = max(
            backoff.pause(failures: failures, using: &generator),
            error.retryAfter.map { min($0.milliseconds, backoff.maximum) } ?? 0
        )
        connectNotBefore = max(connectNotBefore, RestartableTimer.now + pause)
        guard !hadOpened else { return }
        var error = error
        if error.code == .connectionLost { error.code = .notConnected }
        error.effect = .notExecuted
        error.message = "\(configuration.address): \(error.message)"
        connectionError = error
        let isFinal = error.retryAfter == nil || configuration.connectionAttempts.map { failures >= $0 } ?? false
        guard isFinal else { return }
        for id in queue where isWaiting(id) { end(id, error) }
        // A feed that the server has agreed to goes on trying, as long as that can help.
        endFeeds(error) { !$0.isOpen || error.retryAfter == nil }
    }

    /// A channel is gone.
    func linkInactive(_ link: ClientConnection) {
        links[ObjectIdentifier(link)] = nil
        if current === link { current = nil }
        finishIfDone()
        pump()
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
