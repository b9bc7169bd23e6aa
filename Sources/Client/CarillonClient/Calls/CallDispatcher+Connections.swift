import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// Makes the connections of the dispatcher: chooses the time and the address of each attempt, and handles its end.
extension CallDispatcher {
    /// Begins an attempt to connect if a call or a stream waits for a connection and the time has come.
    func connectIfNeeded() {
        guard current == nil, !keyReader.isReading, !isClosing, wantsConnection else { return }
        let now = Clock.uptime()
        // Refusals can end with another key, which must be read first.
        let mayWait = !servers.areAllRefused
        if mayWait, servers.nextTime() > now { return reconnectTimer.arm(at: servers.nextTime()) }
        let deadline = now + max(configuration.connectTimeout.milliseconds, 1)
        switch configuration.apiKey {
        case nil: connectToNext(key: .success(nil), deadline: deadline)
        case .value(let key): connectToNext(key: .success(Array(key.utf8)), deadline: deadline)
        case .file, .function:
            keyReader.read(until: deadline) { [weak self] key in self?.keyRead(key, deadline: deadline) }
        }
    }

    /// Tries the next address with the key that was read.
    private func keyRead(_ key: Result<[UInt8]?, CarillonError>, deadline: Uptime) {
        guard !isClosing else { return finishClosingIfIdle() }
        connectToNext(key: key, deadline: deadline)
    }

    /// Tries the next address with the key; without a key the attempt fails.
    private func connectToNext(key: Result<[UInt8]?, CarillonError>, deadline: Uptime) {
        let now = Clock.uptime()
        if case .success(let key) = key { servers.liftRefusals(key: key) }
        switch servers.next(at: now) {
        case .refused(let error): failWaiting(error) { $0.isDetached }
        case .wait(let until): reconnectTimer.arm(at: until)
        case .address(let index):
            reporter.stateChanged(.connecting(addresses[index]))
            switch key {
            case .success(let key): connect(to: index, key: key, deadline: deadline)
            case .failure(let error): connectionAttemptFailed(at: index, with: error, key: nil)
            }
        }
    }

    private func connect(to index: Int, key: [UInt8]?, deadline: Uptime) {
        var options = sessionOptions
        options.key = key
        let connection = ClientConnection(
            self, address: addresses[index], serverIndex: index, options: options, eventLoop: eventLoop)
        current = connection
        connections[ObjectIdentifier(connection)] = connection
        connector.connect(connection, to: addresses[index]).assumeIsolated().whenFailure { failure in
            // A channel that became active reports its end itself.
            connection.couldNotConnect(failure)
        }
        let limit = TimeAmount.milliseconds(Int64(clamping: deadline.milliseconds(since: Clock.uptime())))
        eventLoop.assumeIsolated().scheduleTask(in: limit) { [weak connection] in connection?.openingTimedOut() }
    }

    /// Sends the waiting requests on a connection that has opened.
    func connectionOpened(_ connection: ClientConnection) {
        guard let answer = connection.helloAnswer else { return }
        servers.connectionOpened(connection.serverIndex)
        if let before = epoch, before != answer.epoch {
            reporter.stateChanged(.newHistory(before: before, now: answer.epoch))
        }
        epoch = answer.epoch
        sendPosition(on: connection)
        reporter.stateChanged(.connected(connection.address, software: answer.software, epoch: answer.epoch))
        for id in calls.connectingIDs { complete(id, with: .success(.connected)) }
        submitWaiting()
    }

    /// Records that the server has answered a request or sent an event on a connection.
    func connectionWorked(_ connection: ClientConnection) {
        if connection === current { servers.connectionWorked() }
    }

    /// Takes back the requests that a stopping server has not executed, and sends them on the next connection. The
    /// server still answers the requests that it has.
    func connectionGoingAway(_ connection: ClientConnection, with goAway: GoAway, notExecuted ids: [UInt64]) {
        if goAway.code == .authenticationFailed, !servers.isRefused(connection.serverIndex) {
            let error = CarillonError(.authenticationFailed, message: goAway.reason)
            refuse(connection, with: error)
        }
        callsNotExecuted(ids)
        drain(connection, milliseconds: UInt64(goAway.reconnectAfterMilliseconds), reason: goAway.reason)
        submitWaiting()
    }

    private func refuse(_ connection: ClientConnection, with error: CarillonError) {
        servers.refuse(connection.serverIndex, with: error, key: connection.key, at: Clock.uptime())
        reporter.stateChanged(.refused(connection.address, error))
    }

    /// Sends no new request on a connection, and leaves its address alone for `milliseconds`.
    func drain(_ connection: ClientConnection, milliseconds: UInt64, reason: String) {
        let now = Clock.uptime()
        servers.delay(connection.serverIndex, milliseconds: milliseconds, at: now)
        detachConsumers(from: connection)
        guard current === connection else { return }
        current = nil
        reporter.stateChanged(.draining(connection.address, reason: reason))
        guard !connection.hasWorked else { return }
        let error = CarillonError(.server(.draining), scope: .connection, retryAfter: .zero, message: reason)
        attemptOfRoundFailed(at: connection.serverIndex, with: error)
    }

    /// Handles the calls, the streams and the address of a connection that has ended or could not be made.
    ///
    /// - Parameters:
    ///   - namedCall: the call whose request the error names; nil if it names none.
    ///   - unanswered: the other calls without an answer.
    func connectionEnded(
        _ connection: ClientConnection, with error: CarillonError, namedCall: UInt64?, unanswered: [UInt64]
    ) {
        let wasCurrent = current === connection
        if wasCurrent { current = nil }
        delayAddress(of: connection, after: error)
        attemptsLost(unanswered, namedCall: namedCall, with: error)
        detachConsumers(from: connection)
        if !isClosing {
            judgeEnd(of: connection, with: error, wasCurrent: wasCurrent)
        } else if wasCurrent || !connection.hasOpened {
            // A client that closes makes no further connection: what waits for one would wait in vain.
            failWaiting(Self.closed) { $0.isDetached }
        }
        submitWaiting()
    }

    /// Leaves an address alone for the time that its server wants. An error of a request on an open connection delays
    /// its call only.
    private func delayAddress(of connection: ClientConnection, after error: CarillonError) {
        guard let retryAfter = error.retryAfter, error.code.server != nil else { return }
        guard !connection.hasOpened || error.scope == .connection else { return }
        servers.delay(connection.serverIndex, milliseconds: retryAfter.milliseconds, at: Clock.uptime())
    }

    /// Reports the end of a connection, and decides whether its address refuses this client, and whether the attempt
    /// has failed.
    private func judgeEnd(of connection: ClientConnection, with error: CarillonError, wasCurrent: Bool) {
        // A connection that drains is not the current one: `drain` has reported and counted its end.
        if wasCurrent {
            reporter.stateChanged(
                connection.hasOpened
                    ? .disconnected(connection.address, error) : .failed(connection.address, error))
        }
        // An error of the handshake that no repetition helps is a refusal of this client (CRED-1).
        if !connection.hasOpened, error.retryAfter == nil { refuse(connection, with: error) }
        // A server that accepts connections and closes them must not be asked in a loop (CON-15).
        if wasCurrent, !connection.hasWorked { attemptOfRoundFailed(at: connection.serverIndex, with: error) }
    }

    /// Records an attempt that has failed before there was a connection.
    private func connectionAttemptFailed(at index: Int, with error: CarillonError, key: [UInt8]?) {
        reporter.stateChanged(.failed(addresses[index], error))
        attemptOfRoundFailed(at: index, with: error)
        submitWaiting()
    }

    /// Records a failed attempt of a round. At the end of the round, the calls that only connect fail.
    private func attemptOfRoundFailed(at index: Int, with error: CarillonError) {
        let text = error.code == .cannotConnect ? error.message : "\(error.code): \(error.message)"
        let isOver = servers.connectionFailed(
            index, with: error, cause: "\(addresses[index]): \(text)", at: Clock.uptime(), using: &generator)
        guard isOver else { return }
        let result = servers.firstRefusal ?? cannotConnect(error.message)
        for id in calls.connectingIDs { fail(id, with: result) }
        if let limit = configuration.maximumRounds, servers.failedRounds >= limit {
            // A subscription that the server has accepted tries again.
            failWaiting(result) { $0.isDetached && !$0.hasOpened }
        }
    }

    func channelClosed(_ connection: ClientConnection) {
        connections[ObjectIdentifier(connection)] = nil
        if current === connection { current = nil }
        finishClosingIfIdle()
        submitWaiting()
    }
}

extension ClientSessionOptions {
    init(_ configuration: CarillonClient.Configuration) {
        self.init(software: configuration.helloSoftware)
        handshakeTimeoutMilliseconds = max(configuration.connectTimeout.milliseconds, 1)
        pingTimeoutMilliseconds = max(configuration.pingTimeout.milliseconds, 1)
        probeAfterMilliseconds = max(configuration.probeAfter.milliseconds, 1)
        inFlightLimit = max(configuration.maximumInFlight, 1)
        receiveLimit = UInt32(clamping: max(configuration.maximumReceiveBytes, 4_096))
    }
}
