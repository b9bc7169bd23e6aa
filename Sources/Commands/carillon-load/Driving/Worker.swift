import CarillonClock
import CarillonCore
import CarillonWire
import NIOCore

/// The part of the load on one event loop: some of the connections, and the requests that are due on them.
///
/// It is confined to its event loop. Other threads reach it through `submit` of that loop.
final class Worker {
    enum LoopKind: Sendable {
        /// The loop is open: requests are sent by a schedule, at a rate.
        case open(rate: Double, arrivals: Schedule.Distribution)
        /// The loop is closed: a request is sent as soon as a connection has room.
        case closed
    }

    /// The plan of each worker. All have the same, but for their share of the connections.
    struct Plan: Sendable {
        var workload: Workload.Plan
        var loop: LoopKind
        var connectionCount: Int
        /// The most requests in flight on one connection.
        var maximumInFlight: Int
        var seed: UInt64
    }

    /// The shortest time between two timer events, in nanoseconds. Requests that become due meanwhile are written
    /// together.
    private static let minimumWaitNanoseconds: UInt64 = 20_000
    /// The longest delay before a new connection, in milliseconds.
    private static let maximumReconnectDelayMilliseconds: Int64 = 2_000

    private let eventLoop: any EventLoop
    private let connector: LoadConnector
    private let plan: Plan
    private let workerIndex: Int
    private let workerCount: Int
    private var workload: Workload
    private var schedule: Schedule?
    private var connections: [LoadConnection] = []
    private var reconnectDelaysMilliseconds: [ObjectIdentifier: Int64] = [:]
    private var nextConnectionIndex = 0
    private var isRunning = false
    private var hasStopped = false
    /// The start of the load by the wall clock.
    private var loadStart = Timestamp.zero
    private var counts = LoadCounts(
        measuredTime: MeasuredTime(loadStartNanoseconds: 0, warmUpNanoseconds: 0, durationNanoseconds: 0))
    private var timer: Scheduled<Void>?
    private var timerNanoseconds = UInt64.max
    private var silenceCheck: RepeatedTask?
    /// The time since which there has been room for due requests; nil if there is no room.
    private var roomSinceNanoseconds: UInt64?

    /// Makes one of `workerCount` workers that share the load.
    ///
    /// - Parameter workerIndex: the number of the worker, from 0.
    init(
        _ plan: Plan, workerIndex: Int, of workerCount: Int, connector: LoadConnector, eventLoop: any EventLoop
    ) {
        self.plan = plan
        self.workerIndex = workerIndex
        self.workerCount = workerCount
        self.connector = connector
        self.eventLoop = eventLoop
        workload = Workload(plan.workload, seed: plan.seed, part: workerIndex, of: workerCount)
    }

    // MARK: Control

    func connect() {
        for _ in 0..<plan.connectionCount { connect(afterMilliseconds: 0) }
        let worker = NIOLoopBound(self, eventLoop: eventLoop)
        silenceCheck = eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
            worker.value.connections.forEach { $0.probeOrClose() }
        }
    }

    /// True if all connections accept requests.
    var isConnected: Bool { connections.count == plan.connectionCount && connections.allSatisfy(\.isOpen) }

    /// Begins to send requests at the start of the load, which is `loadStart` by the wall clock.
    func begin(_ measuredTime: MeasuredTime, loadStart: Timestamp) {
        self.loadStart = loadStart
        counts = LoadCounts(measuredTime: measuredTime)
        if case .open(let rate, let arrivals) = plan.loop {
            schedule = Schedule(
                rate: rate / Double(workerCount), arrivals: arrivals,
                fromNanoseconds: measuredTime.loadStartNanoseconds,
                toNanoseconds: measuredTime.endNanoseconds, seed: plan.seed &+ UInt64(workerIndex))
        }
        isRunning = true
        setTimer(atNanoseconds: measuredTime.loadStartNanoseconds)
    }

    /// Ends the measured time at an earlier time.
    func end(atNanoseconds time: UInt64) {
        counts.measuredTime.endNanoseconds = min(
            counts.measuredTime.endNanoseconds, max(time, counts.measuredTime.startNanoseconds))
        schedule?.end(atNanoseconds: counts.measuredTime.endNanoseconds)
    }

    /// The counts so far, and the number of requests in flight.
    var state: (counts: LoadCounts, inFlightCount: Int) {
        (counts, connections.reduce(0) { $0 + $1.requestsInFlight.count })
    }

    /// True if every request that was due has been answered.
    var isDone: Bool {
        let isOver =
            Clock.uptimeNanoseconds() >= counts.measuredTime.endNanoseconds && schedule?.nextDueNanoseconds == nil
        return isOver && connections.allSatisfy(\.isIdle)
    }

    /// Stops the load, closes the connections, and returns the counts. Requests without an answer are counted as
    /// unanswered.
    func stop() -> LoadCounts {
        hasStopped = true
        isRunning = false
        timer?.cancel()
        silenceCheck?.cancel()
        let now = Clock.uptimeNanoseconds()
        for request in connections.flatMap(\.requestsInFlight) { counts.requestAbandoned(request, atNanoseconds: now) }
        if let schedule, let next = schedule.nextDueNanoseconds {
            let weights = plan.workload.mix.shares.map { Double($0.weight) }
            for (share, weight) in zip(plan.workload.mix.shares, weights) {
                let count = Double(schedule.expectedRemainingCount) * weight / weights.reduce(0, +)
                counts.requestsAbandoned(
                    share.operation, fromNanoseconds: next, count: UInt64(count.rounded()), atNanoseconds: now)
            }
        }
        let result = counts
        connections.forEach { $0.close() }
        return result
    }

    // MARK: Connections

    /// Opens a connection after a delay; one that ends is opened again later.
    private func connect(afterMilliseconds delay: Int64) {
        let worker = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(delay)) {
            let worker = worker.value
            guard !worker.hasStopped else { return }
            let connection = LoadConnection(
                worker.connector.sessionOptions, maximumInFlight: worker.plan.maximumInFlight, delegate: worker)
            worker.connections.append(connection)
            worker.reconnectDelaysMilliseconds[ObjectIdentifier(connection)] = delay
            worker.connector.connect(connection, on: worker.eventLoop).assumeIsolated().whenFailure { _ in
                worker.connectionEnded(connection, lost: [])
            }
        }
    }

    // MARK: Sending

    /// Lets the timer send requests at this time, unless it does so earlier.
    private func setTimer(atNanoseconds time: UInt64) {
        guard time < timerNanoseconds else { return }
        timer?.cancel()
        timerNanoseconds = time
        timer = eventLoop.assumeIsolated().scheduleTask(deadline: .uptimeNanoseconds(time)) { [weak self] in
            self?.timerNanoseconds = .max
            self?.sendRequests()
        }
    }

    /// Sends the requests for which there is room: those that are due, or in a closed loop any.
    private func sendRequests() {
        guard isRunning else { return }
        switch plan.loop {
        case .open: sendDueRequests()
        case .closed: connections.forEach { fill($0) }
        }
        connections.forEach { $0.flush() }
    }

    /// Sends the requests of the schedule that are due, while a connection has room.
    private func sendDueRequests() {
        var now = Clock.uptimeNanoseconds()
        while let next = schedule?.nextDueNanoseconds, next <= now {
            guard let connection = nextConnectionWithRoom() else {
                roomSinceNanoseconds = nil
                return
            }
            let roomSince = roomSinceNanoseconds ?? now
            roomSinceNanoseconds = roomSince
            guard let due = schedule?.popDue(atNanoseconds: now) else { return }
            let delay = now - max(due, min(roomSince, now))
            send(on: connection, dueNanoseconds: due, atNanoseconds: now, writeDelayNanoseconds: delay)
            now = Clock.uptimeNanoseconds()
        }
        if roomSinceNanoseconds == nil { roomSinceNanoseconds = now }
        if let next = schedule?.nextDueNanoseconds {
            setTimer(atNanoseconds: max(next, now + Self.minimumWaitNanoseconds))
        }
    }

    /// Returns the next connection with room, round-robin; nil if no connection has room.
    private func nextConnectionWithRoom() -> LoadConnection? {
        for _ in connections.indices {
            nextConnectionIndex = nextConnectionIndex + 1 < connections.count ? nextConnectionIndex + 1 : 0
            if connections[nextConnectionIndex].roomCount > 0 { return connections[nextConnectionIndex] }
        }
        return nil
    }

    /// Sends as many requests as the connection has room for, during the load.
    private func fill(_ connection: LoadConnection) {
        let roomCount = connection.roomCount
        guard roomCount > 0 else { return }
        let now = Clock.uptimeNanoseconds()
        guard now >= counts.measuredTime.loadStartNanoseconds, now < counts.measuredTime.endNanoseconds else { return }
        for _ in 0..<roomCount {
            send(on: connection, dueNanoseconds: now, atNanoseconds: now, writeDelayNanoseconds: 0)
        }
    }

    /// Sends the next request of the workload. The write delay is the time for which it was late although there was
    /// room.
    private func send(
        on connection: LoadConnection, dueNanoseconds: UInt64, atNanoseconds now: UInt64, writeDelayNanoseconds: UInt64
    ) {
        let operation = workload.nextOperation()
        let isCounted = operation.isSend && counts.measuredTime.intervalIndex(of: dueNanoseconds) != nil
        let microseconds = (dueNanoseconds - counts.measuredTime.loadStartNanoseconds) / 1_000
        let marker = isCounted ? PushMarker(operation: operation, dueMicroseconds: microseconds).number : 0
        let elapsedNanoseconds = now - min(now, counts.measuredTime.loadStartNanoseconds)
        let wallTime = Timestamp(milliseconds: loadStart.milliseconds + elapsedNanoseconds / 1_000_000)
        let pending = LoadCounts.PendingRequest(
            operation: operation, dueNanoseconds: dueNanoseconds, sentNanoseconds: now)
        counts.requestWritten(pending, writeDelayNanoseconds: writeDelayNanoseconds)
        connection.send(workload.request(operation, marker: marker, now: wallTime).operation, as: pending)
    }
}

extension Worker: LoadConnection.Delegate {
    func connectionOpened(_ connection: LoadConnection) {
        reconnectDelaysMilliseconds[ObjectIdentifier(connection)] = 0
        sendRequests()
    }

    func requestFinished(
        _ request: LoadCounts.PendingRequest, with result: Result<AnyAnswer, RequestError>, atNanoseconds now: UInt64
    ) {
        switch result {
        case .success(let answer):
            let send = request.operation.isSend ? answer.as(answerTo: SendRequest.self) : nil
            counts.requestAnswered(request, atNanoseconds: now, addressed: UInt64(send?.total ?? 0))
        case .failure(let error): counts.requestFailed(request, atNanoseconds: now, error: error.code.name)
        }
    }

    func connectionReady(_ connection: LoadConnection) {
        guard isRunning else { return }
        switch plan.loop {
        case .open: if roomSinceNanoseconds == nil { sendRequests() }
        case .closed: fill(connection)
        }
    }

    func connectionEnded(_ connection: LoadConnection, lost: [LoadCounts.PendingRequest]) {
        guard let delay = reconnectDelaysMilliseconds.removeValue(forKey: ObjectIdentifier(connection)) else { return }
        let now = Clock.uptimeNanoseconds()
        for request in lost { counts.requestFailed(request, atNanoseconds: now, error: LoadCounts.connectionLost) }
        connections.removeAll { $0 === connection }
        nextConnectionIndex = 0
        guard !hasStopped else { return }
        if isRunning { counts.connectionLost() }
        connect(afterMilliseconds: min(max(delay * 2, 100), Self.maximumReconnectDelayMilliseconds))
    }
}
