import CarillonCore
import CarillonWire
import NIOCore

/// The part of the load that one event loop drives: some connections, and what is due on them.
///
/// Confined to its event loop; others order by `submit`.
final class Worker {
    /// How requests follow each other.
    enum Pace: Sendable {
        /// When a schedule says so: so many a second.
        case open(rate: Double, arrivals: Schedule.Arrivals)
        /// As soon as there is room on a connection.
        case closed
    }

    /// What a worker is given.
    struct Plan: Sendable {
        var workload: Workload.Plan
        var pace: Pace
        var connections: Int
        /// Requests under way on one connection.
        var depth: Int
        var seed: UInt64
    }

    /// No wake-ups in quicker succession than this: what is due meanwhile is written in one go.
    private static let quantum: UInt64 = 20_000
    private static let longestPause: Int64 = 2_000

    private let eventLoop: any EventLoop
    private let dialer: Dialer
    private let plan: Plan
    private let part: (index: Int, count: Int)
    private var workload: Workload
    private var schedule: Schedule?
    private var connections: [LoadConnection] = []
    private var pauses: [ObjectIdentifier: Int64] = [:]
    private var turn = 0
    private var isRunning = false
    private var hasStopped = false
    private var wallClock = Timestamp.zero
    private var tally = Tally(window: Window(origin: 0, warmUp: 0, duration: 0))
    private var timer: Scheduled<Void>?
    private var timerAt = UInt64.max
    private var upkeep: RepeatedTask?
    /// Since when there has been room for what is due.
    private var roomSince: UInt64?

    /// The `part.index`th of `part.count`.
    init(_ plan: Plan, part: (index: Int, count: Int), dialer: Dialer, eventLoop: any EventLoop) {
        self.plan = plan
        self.part = part
        self.dialer = dialer
        self.eventLoop = eventLoop
        workload = Workload(plan.workload, seed: plan.seed, part: part.index, of: part.count)
    }

    // MARK: Orders

    /// Connects.
    func connect() {
        for _ in 0..<plan.connections { dial(after: 0) }
        let task = NIOLoopBound(self, eventLoop: eventLoop)
        upkeep = eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
            task.value.connections.forEach { $0.upkeep() }
        }
    }

    /// Whether all connections take requests.
    var isConnected: Bool { connections.count == plan.connections && connections.allSatisfy(\.isOpen) }

    /// Begins at the window's origin, when it is `wallClock` by the wall's clock.
    func begin(_ window: Window, wallClock: Timestamp) {
        self.wallClock = wallClock
        tally = Tally(window: window)
        if case .open(let rate, let arrivals) = plan.pace {
            schedule = Schedule(
                rate: rate / Double(part.count), arrivals: arrivals, from: window.origin, to: window.end,
                seed: plan.seed &+ UInt64(part.index))
        }
        isRunning = true
        wake(at: window.origin)
    }

    /// Lets the time that counts end sooner.
    func end(at time: UInt64) {
        tally.window.end = min(tally.window.end, max(time, tally.window.start))
        schedule?.end(at: tally.window.end)
    }

    /// What has been counted so far, and how many requests are under way.
    var state: (tally: Tally, underWay: Int) { (tally, connections.reduce(0) { $0 + $1.underWay.count }) }

    /// Whether everything that was due has been answered.
    var isDone: Bool {
        LoadConnection.now >= tally.window.end && schedule?.next == nil && connections.allSatisfy(\.isIdle)
    }

    /// Stops and closes; what was not answered counts as such.
    func stop() -> Tally {
        hasStopped = true
        isRunning = false
        timer?.cancel()
        upkeep?.cancel()
        let now = LoadConnection.now
        for flight in connections.flatMap(\.underWay) { tally.abandoned(flight, at: now) }
        if let schedule, let next = schedule.next {
            let weights = plan.workload.mix.shares.map { Double($0.weight) }
            for (share, weight) in zip(plan.workload.mix.shares, weights) {
                let count = Double(schedule.remaining) * weight / weights.reduce(0, +)
                tally.abandoned(share.operation, from: next, count: UInt64(count.rounded()), at: now)
            }
        }
        let result = tally
        connections.forEach { $0.close() }
        return result
    }

    // MARK: Connections

    private func dial(after pause: Int64) {
        let worker = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(pause)) {
            let worker = worker.value
            guard !worker.hasStopped else { return }
            let connection = LoadConnection(worker.dialer.sessionSettings, depth: worker.plan.depth, owner: worker)
            worker.connections.append(connection)
            worker.pauses[ObjectIdentifier(connection)] = pause
            worker.dialer.connect(connection, on: worker.eventLoop).assumeIsolated().whenFailure { _ in
                worker.ended(connection, lost: [])
            }
        }
    }

    // MARK: Sending

    private func wake(at time: UInt64) {
        guard time < timerAt else { return }
        timer?.cancel()
        timerAt = time
        timer = eventLoop.assumeIsolated().scheduleTask(deadline: .uptimeNanoseconds(time)) { [weak self] in
            self?.timerAt = .max
            self?.fill()
        }
    }

    /// Sends all that is due and for which there is room.
    private func fill() {
        guard isRunning else { return }
        switch plan.pace {
        case .open: fillByTime()
        case .closed: connections.forEach { fillUp($0) }
        }
        connections.forEach { $0.flush() }
    }

    private func fillByTime() {
        var now = LoadConnection.now
        while let next = schedule?.next, next <= now {
            guard let connection = nextWithRoom() else {
                roomSince = nil
                return
            }
            let room = roomSince ?? now
            roomSince = room
            guard let due = schedule?.take(at: now) else { return }
            send(on: connection, due: due, at: now, lag: now - max(due, min(room, now)))
            now = LoadConnection.now
        }
        if roomSince == nil { roomSince = now }
        if let next = schedule?.next { wake(at: max(next, now + Self.quantum)) }
    }

    /// The next connection that takes a request, by turns.
    private func nextWithRoom() -> LoadConnection? {
        for _ in connections.indices {
            turn = turn + 1 < connections.count ? turn + 1 : 0
            if connections[turn].hasRoom { return connections[turn] }
        }
        return nil
    }

    private func fillUp(_ connection: LoadConnection) {
        guard connection.hasRoom else { return }
        let now = LoadConnection.now
        guard now >= tally.window.origin, now < tally.window.end else { return }
        // Not as long as there is room: what is refused at once takes none.
        for _ in 0..<connection.depth where connection.hasRoom { send(on: connection, due: now, at: now, lag: 0) }
    }

    private func send(on connection: LoadConnection, due: UInt64, at now: UInt64, lag: UInt64) {
        let operation = workload.nextOperation()
        let isCounted = operation.isSend && tally.window.interval(of: due) != nil
        let microseconds = (due - tally.window.origin) / 1_000
        let mark = isCounted ? PushMark(operation: operation, due: microseconds).number : 0
        let wall = Timestamp(milliseconds: wallClock.milliseconds + (now - min(now, tally.window.origin)) / 1_000_000)
        let flight = Tally.Flight(operation: operation, due: due, sent: now)
        tally.written(flight, lag: lag)
        connection.send(workload.request(operation, mark: mark, now: wall).operation, flight)
    }
}

extension Worker: LoadConnection.Owner {
    func opened(_ connection: LoadConnection) {
        pauses[ObjectIdentifier(connection)] = 0
        fill()
    }

    func finished(_ flight: Tally.Flight, _ result: Result<AnyAnswer, ErrorReply>, at now: UInt64) {
        switch result {
        case .success(let answer):
            tally.answered(flight, at: now, addressed: UInt64(answer.as(answerTo: Message.self)?.total ?? 0))
        case .failure(let reply): tally.failed(flight, at: now, reply.code.name)
        }
    }

    func hasRead(_ connection: LoadConnection) {
        guard isRunning else { return }
        switch plan.pace {
        case .open: if roomSince == nil { fill() }
        case .closed: fillUp(connection)
        }
    }

    func ended(_ connection: LoadConnection, lost: [Tally.Flight]) {
        guard let pause = pauses.removeValue(forKey: ObjectIdentifier(connection)) else { return }
        let now = LoadConnection.now
        for flight in lost { tally.failed(flight, at: now, Tally.connectionLost) }
        connections.removeAll { $0 === connection }
        turn = 0
        guard !hasStopped else { return }
        if isRunning { tally.connectionLost() }
        dial(after: min(max(pause * 2, 100), Self.longestPause))
    }
}
