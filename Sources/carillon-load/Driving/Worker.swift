import CarillonClock
import CarillonCore
import CarillonWire
import NIOCore

/// The part of the load on one event loop: some of the connections, and the requests that are due on them.
///
/// It is confined to its event loop. Other threads reach it through `submit` of that loop.
final class Worker {
    /// The kind of loop.
    enum LoopKind: Sendable {
        /// The loop is open: requests are sent by a schedule, at a rate.
        case open(rate: Double, arrivals: Schedule.Arrivals)
        /// The loop is closed: a request is sent as soon as a connection has room.
        case closed
    }

    /// The plan of a worker.
    struct Plan: Sendable {
        var workload: Workload.Plan
        var loop: LoopKind
        var connections: Int
        /// The most requests in flight on one connection.
        var depth: Int
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
    private let part: (index: Int, count: Int)
    private var workload: Workload
    private var schedule: Schedule?
    private var connections: [LoadConnection] = []
    private var reconnectDelaysMilliseconds: [ObjectIdentifier: Int64] = [:]
    private var nextConnection = 0
    private var isRunning = false
    private var hasStopped = false
    private var wallClock = Timestamp.zero
    private var counts = LoadCounts(window: Window(loadStart: 0, warmUp: 0, duration: 0))
    private var timer: Scheduled<Void>?
    private var timerAt = UInt64.max
    private var silenceCheck: RepeatedTask?
    /// The time since which there has been room for due requests; nil if there is no room.
    private var roomSince: UInt64?

    /// - Parameter part: the number of the worker, from 0, and the number of all workers.
    init(_ plan: Plan, part: (index: Int, count: Int), connector: LoadConnector, eventLoop: any EventLoop) {
        self.plan = plan
        self.part = part
        self.connector = connector
        self.eventLoop = eventLoop
        workload = Workload(plan.workload, seed: plan.seed, part: part.index, of: part.count)
    }

    // MARK: Control

    func connect() {
        for _ in 0..<plan.connections { connect(afterMilliseconds: 0) }
        let task = NIOLoopBound(self, eventLoop: eventLoop)
        silenceCheck = eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
            task.value.connections.forEach { $0.probeOrClose() }
        }
    }

    /// True if all connections accept requests.
    var isConnected: Bool { connections.count == plan.connections && connections.allSatisfy(\.isOpen) }

    /// Begins to send requests at the start of the load, which is `wallClock` by the wall clock.
    func begin(_ window: Window, wallClock: Timestamp) {
        self.wallClock = wallClock
        counts = LoadCounts(window: window)
        if case .open(let rate, let arrivals) = plan.loop {
            schedule = Schedule(
                rate: rate / Double(part.count), arrivals: arrivals, from: window.loadStart, to: window.end,
                seed: plan.seed &+ UInt64(part.index))
        }
        isRunning = true
        wake(at: window.loadStart)
    }

    /// Ends the measured time at an earlier time.
    func end(at time: UInt64) {
        counts.window.end = min(counts.window.end, max(time, counts.window.start))
        schedule?.end(at: counts.window.end)
    }

    /// The counts so far, and the number of requests in flight.
    var state: (counts: LoadCounts, inFlight: Int) { (counts, connections.reduce(0) { $0 + $1.inFlight.count }) }

    /// True if every request that was due has been answered.
    var isDone: Bool {
        Clock.uptimeNanoseconds() >= counts.window.end && schedule?.next == nil && connections.allSatisfy(\.isIdle)
    }

    /// Stops the load, closes the connections, and returns the counts. Requests without an answer are counted as
    /// unanswered.
    func stop() -> LoadCounts {
        hasStopped = true
        isRunning = false
        timer?.cancel()
        silenceCheck?.cancel()
        let now = Clock.uptimeNanoseconds()
        for request in connections.flatMap(\.inFlight) { counts.requestAbandoned(request, at: now) }
        if let schedule, let next = schedule.next {
            let weights = plan.workload.mix.shares.map { Double($0.weight) }
            for (share, weight) in zip(plan.workload.mix.shares, weights) {
                let count = Double(schedule.remaining) * weight / weights.reduce(0, +)
                counts.requestsAbandoned(share.operation, from: next, count: UInt64(count.rounded()), at: now)
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
                worker.connector.sessionOptions, maximumInFlight: worker.plan.depth, delegate: worker)
            worker.connections.append(connection)
            worker.reconnectDelaysMilliseconds[ObjectIdentifier(connection)] = delay
            worker.connector.connect(connection, on: worker.eventLoop).assumeIsolated().whenFailure { _ in
                worker.connectionEnded(connection, lost: [])
            }
        }
    }

    // MARK: Sending

    /// Lets the timer fill the connections at this time, unless it does so earlier.
    private func wake(at time: UInt64) {
        guard time < timerAt else { return }
        timer?.cancel()
        timerAt = time
        timer = eventLoop.assumeIsolated().scheduleTask(deadline: .uptimeNanoseconds(time)) { [weak self] in
            self?.timerAt = .max
            self?.fill()
        }
    }

    /// Sends the due requests for which there is room.
    private func fill() {
        guard isRunning else { return }
        switch plan.loop {
        case .open: fillByTime()
        case .closed: connections.forEach { fillUp($0) }
        }
        connections.forEach { $0.flush() }
    }

    /// Sends the requests of the schedule that are due, while a connection has room.
    private func fillByTime() {
        var now = Clock.uptimeNanoseconds()
        while let next = schedule?.next, next <= now {
            guard let connection = nextWithRoom() else {
                roomSince = nil
                return
            }
            let room = roomSince ?? now
            roomSince = room
            guard let due = schedule?.popDue(at: now) else { return }
            send(on: connection, due: due, at: now, lag: now - max(due, min(room, now)))
            now = Clock.uptimeNanoseconds()
        }
        if roomSince == nil { roomSince = now }
        if let next = schedule?.next { wake(at: max(next, now + Self.minimumWaitNanoseconds)) }
    }

    /// Returns the next connection with room, round-robin; nil if no connection has room.
    private func nextWithRoom() -> LoadConnection? {
        for _ in connections.indices {
            nextConnection = nextConnection + 1 < connections.count ? nextConnection + 1 : 0
            if connections[nextConnection].room > 0 { return connections[nextConnection] }
        }
        return nil
    }

    /// Sends as many requests as the connection has room for, during the load.
    private func fillUp(_ connection: LoadConnection) {
        let room = connection.room
        guard room > 0 else { return }
        let now = Clock.uptimeNanoseconds()
        guard now >= counts.window.loadStart, now < counts.window.end else { return }
        for _ in 0..<room { send(on: connection, due: now, at: now, lag: 0) }
    }

    /// Sends the next request of the workload. `lag` is the time for which it was late although there was room.
    private func send(on connection: LoadConnection, due: UInt64, at now: UInt64, lag: UInt64) {
        let operation = workload.nextOperation()
        let isCounted = operation.isSend && counts.window.interval(of: due) != nil
        let microseconds = (due - counts.window.loadStart) / 1_000
        let marker = isCounted ? PushMarker(operation: operation, due: microseconds).number : 0
        let elapsed = now - min(now, counts.window.loadStart)
        let wall = Timestamp(milliseconds: wallClock.milliseconds + elapsed / 1_000_000)
        let pending = LoadCounts.PendingRequest(operation: operation, due: due, sent: now)
        counts.requestWritten(pending, lag: lag)
        connection.send(workload.request(operation, marker: marker, now: wall).operation, as: pending)
    }
}

extension Worker: LoadConnection.Delegate {
    func connectionOpened(_ connection: LoadConnection) {
        reconnectDelaysMilliseconds[ObjectIdentifier(connection)] = 0
        fill()
    }

    func requestFinished(
        _ request: LoadCounts.PendingRequest, with result: Result<AnyAnswer, RequestError>, at now: UInt64
    ) {
        switch result {
        case .success(let answer):
            let send = request.operation.isSend ? answer.as(answerTo: SendRequest.self) : nil
            counts.requestAnswered(request, at: now, addressed: UInt64(send?.total ?? 0))
        case .failure(let error): counts.requestFailed(request, at: now, error: error.code.name)
        }
    }

    func connectionReady(_ connection: LoadConnection) {
        guard isRunning else { return }
        switch plan.loop {
        case .open: if roomSince == nil { fill() }
        case .closed: fillUp(connection)
        }
    }

    func connectionEnded(_ connection: LoadConnection, lost: [LoadCounts.PendingRequest]) {
        guard let delay = reconnectDelaysMilliseconds.removeValue(forKey: ObjectIdentifier(connection)) else { return }
        let now = Clock.uptimeNanoseconds()
        for request in lost { counts.requestFailed(request, at: now, error: LoadCounts.connectionLost) }
        connections.removeAll { $0 === connection }
        nextConnection = 0
        guard !hasStopped else { return }
        if isRunning { counts.connectionLost() }
        connect(afterMilliseconds: min(max(delay * 2, 100), Self.maximumReconnectDelayMilliseconds))
    }
}
