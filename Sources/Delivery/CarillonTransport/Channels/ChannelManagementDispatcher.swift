import CarillonAPNs
import CarillonClock
import CarillonCore
import Logging
import NIOCore

/// The requests of a ``ChannelManagementClient`` and its connections, on its event loop.
///
/// One connection takes new requests. It is opened for the first request, and closed after a long time without one. A
/// connection that APNs retires stays open until its requests have ended; meanwhile another one may be opened.
/// `ChannelManagementSchedule` decides when a request is sent, and `ChannelManagementResult` judges its end.
final class ChannelManagementDispatcher {
    private struct Pending {
        var request: ChannelManagementRequest
        var app: AppID
        var completion: ChannelManagementClient.Completion
    }

    /// The interval at which deadlines are checked.
    private static let checkInterval = TimeAmount.milliseconds(250)
    /// The timeout of a connection to an address, in milliseconds.
    private static let connectTimeoutMilliseconds: UInt64 = 10_000

    private let target: PoolTarget
    private let loop: any EventLoop
    private let connector: Connector
    private let metrics: ChannelMetrics
    private let logger: Logger
    private var schedule: ChannelManagementSchedule
    private var requests: [ChannelManagementSchedule.Number: Pending] = [:]
    private var connection: ChannelConnection?
    /// True if APNs has sent its SETTINGS on `connection`.
    private var isReady = false
    /// The connections that are not closed, also connections that only wait for answers.
    private var open: [ObjectIdentifier: ChannelConnection] = [:]
    private var isConnecting = false
    private var ticker: RepeatedTask?
    private var closing: EventLoopPromise<Void>?

    init(
        _ target: PoolTarget, loop: any EventLoop, limits: ChannelManagementSchedule.Limits, metrics: ChannelMetrics,
        logger: Logger
    ) {
        self.target = target
        self.loop = loop
        connector = Connector(
            host: target.server.host, port: target.server.port, networkPath: target.networkPath,
            timeoutMilliseconds: Self.connectTimeoutMilliseconds)
        self.metrics = metrics
        self.logger = logger
        schedule = ChannelManagementSchedule(limits: limits)
    }

    // MARK: Requests

    /// Queues a request, and sends it when the schedule and the connection allow it.
    func send(
        _ request: ChannelManagementRequest, of app: AppID, deadline: Uptime?,
        _ completion: @escaping ChannelManagementClient.Completion
    ) {
        guard closing == nil else {
            return completion(.failure(ChannelManagementError(.unavailable, reason: "closed")))
        }
        guard let number = schedule.add(deadline: deadline, at: Clock.uptime()) else {
            metrics.requestEnded("overloaded")
            return completion(.failure(ChannelManagementError(.overloaded, reason: "overloaded")))
        }
        requests[number] = Pending(request: request, app: app, completion: completion)
        startTicker()
        proceed()
    }

    /// Sends the requests that can be sent, and opens a connection if one is needed.
    private func proceed() {
        if let connection {
            for number in schedule.takeWaiting(streams: connection.availableStreams) {
                guard let pending = requests[number] else { continue }
                connection.send(pending.request, of: pending.app, as: number)
            }
            connection.flush()
        } else if !isConnecting, schedule.needsConnection(at: Clock.uptime()) {
            connect()
        }
        finishIfDone()
    }

    private func requestEnded(_ number: ChannelManagementSchedule.Number, with result: ChannelManagementResult) {
        switch result.end {
        case .answered(let answer): end(number, with: .success(answer))
        case .failed(let failure): end(number, with: .failure(failure))
        case .notProcessed(let reason):
            if !schedule.requestNotProcessed(number) {
                end(number, with: .failure(ChannelManagementError(.unavailable, reason: reason)))
            }
        }
        loop.assumeIsolated().execute { self.proceed() }
    }

    private func end(
        _ number: ChannelManagementSchedule.Number, with result: Result<ChannelAnswer, ChannelManagementError>
    ) {
        guard schedule.requestEnded(number, at: Clock.uptime()), let pending = requests.removeValue(forKey: number)
        else { return }
        switch result {
        case .success: metrics.requestEnded("ok")
        case .failure(let failure): metrics.requestEnded(failure.reason)
        }
        pending.completion(result)
    }

    // MARK: The connection

    private func connect() {
        isConnecting = true
        schedule.connectionBegan(at: Clock.uptime())
        let bound = NIOLoopBound(self, eventLoop: loop)
        connector.connect(on: loop).whenComplete { result in
            bound.value.isConnecting = false
            switch result {
            case .success(let channel): bound.value.tcpConnected(channel)
            case .failure(let error): bound.value.connectFailed(ConnectionFault(error).text)
            }
        }
    }

    private func tcpConnected(_ channel: any Channel) {
        var id: ObjectIdentifier?
        let connection = ChannelConnection(
            target, loop: loop, logger: logger,
            report: { [self] event in
                switch event {
                case .ready:
                    isReady = true
                    proceed()
                case .ended(let number, let result): requestEnded(number, with: result)
                case .retired: connectionRetired(id)
                case .closed: connectionClosed(id)
                }
            })
        id = ObjectIdentifier(connection)
        self.connection = connection
        isReady = false
        open[ObjectIdentifier(connection)] = connection
        do {
            try channel.pipeline.syncOperations.addHandler(connection)
        } catch {
            // The channel is closed already.
            open[ObjectIdentifier(connection)] = nil
            connectionRetired(id)
        }
    }

    /// Forgets a connection that takes no new requests, and proceeds without it.
    private func connectionRetired(_ id: ObjectIdentifier?) {
        guard let connection, ObjectIdentifier(connection) == id else { return }
        self.connection = nil
        if isReady {
            loop.assumeIsolated().execute { self.proceed() }
        } else {
            connectFailed("the connection was closed")
        }
    }

    private func connectFailed(_ text: String) {
        logger.warning("APNs' channel management cannot be reached", metadata: ["error": "\(text)"])
        for number in schedule.unsent {
            end(number, with: .failure(ChannelManagementError(.unavailable, reason: "cannot-connect")))
        }
        proceed()
    }

    private func connectionClosed(_ id: ObjectIdentifier?) {
        if let id { open[id] = nil }
        loop.assumeIsolated().execute { self.proceed() }
    }

    // MARK: Time

    private func startTicker() {
        guard ticker == nil else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        ticker = loop.scheduleRepeatedTask(initialDelay: Self.checkInterval, delay: Self.checkInterval) { _ in
            bound.value.checkDeadlines()
        }
    }

    private func checkDeadlines() {
        let now = Clock.uptime()
        for overdue in schedule.overdue(at: now) {
            if overdue.wasSent { for connection in open.values { connection.cancel(overdue.number) } }
            let failure =
                overdue.isLate
                ? ChannelManagementError(.late, reason: "deadline")
                : ChannelManagementError(
                    .unavailable, reason: "timeout", effect: overdue.wasSent ? .unknown : .notExecuted)
            end(overdue.number, with: .failure(failure))
        }
        if !isReady, schedule.isSettingsOverdue(at: now) { connection?.abandon() }
        if schedule.isIdle(at: now) { connection?.retire() }
        proceed()
        guard requests.isEmpty, connection == nil, !isConnecting else { return }
        ticker?.cancel()
        ticker = nil
    }

    // MARK: The end

    func close(_ done: EventLoopPromise<Void>) {
        closing = done
        finishIfDone()
    }

    /// Ends the management that was closed, once no request is left.
    private func finishIfDone() {
        guard let closing, requests.isEmpty else { return }
        connection?.retire()
        guard open.isEmpty, !isConnecting else { return }
        ticker?.cancel()
        ticker = nil
        closing.succeed()
    }
}
