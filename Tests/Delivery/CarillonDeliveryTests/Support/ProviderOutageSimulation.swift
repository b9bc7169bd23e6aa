import CarillonAPNs
import CarillonCore
import CarillonProvider

@testable import CarillonDelivery

/// An engine, a pool and its connections against a provider that is faulty for a while; time is virtual.
struct ProviderOutageSimulation {
    /// The fault of the provider that each push meets.
    enum Fault: Sendable {
        case answers(UInt16)
        case resets(Verdict)
    }

    struct Second {
        var attempts = 0
        var delivered = 0
        var connectAttempts = 0
    }

    private struct PushInFlight {
        var due: Uptime
        var delivery: Delivery
    }

    private struct Connection {
        var machine: ConnectionMachine
        var readyAt: Uptime
        var pushes: [PushInFlight] = []
        var openedAt: Uptime?
        var isRetired = false
    }

    /// The milliseconds from a push to its answer.
    private static let roundTripMilliseconds: UInt64 = 50
    private static let stepMilliseconds: UInt64 = 10
    private static let streams = 10
    private static let devicesPerMessage: UInt64 = 1_000

    private let fault: Fault
    private var harness = EngineHarness()
    private var pool: ConnectionGroupMachine
    private var limits = ConnectionMachine.Limits()
    private var connections: [Connection] = []
    private var random: SeededGenerator
    private var messages: UInt64 = 0
    private var isProviderOut = false
    private(set) var seconds: [Second] = [Second()]
    private(set) var outcomes: [Outcome: Int] = [:]

    var recipients: Int { Int(messages * Self.devicesPerMessage) }

    init(_ fault: Fault, seed: UInt64) {
        self.fault = fault
        random = SeededGenerator(seed: seed)
        var poolLimits = ConnectionGroupMachine.Limits()
        poolLimits.connections = 4
        pool = ConnectionGroupMachine(limits: poolLimits)
        limits.streams = Self.streams
    }

    /// Lets time pass; a message always waits, if `isFed`.
    mutating func run(seconds count: Int, isProviderOut: Bool = false, isFed: Bool = true) {
        self.isProviderOut = isProviderOut
        for _ in 0..<count {
            for _ in 0..<(1_000 / Self.stepMilliseconds) { tick(isFed) }
            seconds.append(Second())
        }
    }

    /// Sends nothing new, until all recipients have an outcome or that many seconds have gone by.
    mutating func finish(within seconds: Int) {
        for _ in 0..<seconds where outcomes.values.reduce(0, +) < recipients { run(seconds: 1, isFed: false) }
    }

    private var now: Uptime { harness.now.uptime }

    private mutating func tick(_ isFed: Bool) {
        harness.advance(Self.stepMilliseconds)
        while isFed, !harness.engine.hasWork(for: .production) { accept() }
        for index in connections.indices {
            var connection = connections[index]
            serve(&connection)
            connections[index] = connection
        }
        connections.removeAll { $0.machine.state == .draining && $0.pushes.isEmpty }
        if pool.connectionCount == 0, harness.engine.hasWork(for: .production) { openConnection() }
        let records = harness.engine.takeActions().records
        for record in records {
            for entry in record.endedRecipients { outcomes[entry.outcome, default: 0] += 1 }
            harness.engine.recordWritten(record, at: harness.now)
        }
    }

    private mutating func accept() {
        messages += 1
        harness.send(.message(messages, lane: .bulk), to: 1...Self.devicesPerMessage)
    }

    // MARK: Connections, as the shell runs them

    private mutating func openConnection() {
        guard pool.decideToOpen(at: now, random: random.unit()) == .open else { return }
        seconds[seconds.count - 1].connectAttempts += 1
        let machine = ConnectionMachine(limits: limits, now: now)
        connections.append(Connection(machine: machine, readyAt: now + 3 * Self.roundTripMilliseconds))
    }

    private mutating func serve(_ connection: inout Connection) {
        greet(&connection)
        answer(&connection)
        let allowance = connection.machine.streamAllowance(openStreams: connection.pushes.count)
        guard allowance > 0 else { return }
        let pulled = harness.pull(allowance)
        seconds[seconds.count - 1].attempts += pulled.count
        connection.pushes += pulled.map { PushInFlight(due: now + Self.roundTripMilliseconds, delivery: $0) }
        if pulled.count == allowance, connection.machine.state == .open { openConnection() }
    }

    private func greet(_ connection: inout Connection) {
        guard connection.machine.state == .connecting, now >= connection.readyAt else { return }
        connection.machine.tcpConnected(at: now)
        connection.machine.handshakeCompleted(at: now)
        connection.machine.settingsReceived(maxConcurrentStreams: 1_000, at: now)
    }

    private mutating func answer(_ connection: inout Connection) {
        let count = connection.pushes.prefix { $0.due <= now }.count
        guard count > 0 else { return }
        var results: [AttemptResult] = []
        for index in 0..<count {
            let open = connection.pushes.count - index
            let verdict = verdict(on: &connection, open: open)
            results.append(AttemptResult(connection.pushes[index].delivery.attempt, verdict: verdict))
        }
        connection.pushes.removeFirst(count)
        harness.engine.attemptsEnded(results, for: .production, at: harness.now)
    }

    private mutating func verdict(on connection: inout Connection, open: Int) -> Verdict {
        guard isProviderOut else {
            connection.machine.pushDelivered(at: now)
            seconds[seconds.count - 1].delivered += 1
            if connection.openedAt == nil {
                connection.openedAt = now
                pool.connectionOpened(at: now)
            }
            return .delivered
        }
        switch fault {
        case .answers(let status):
            let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
            let answer = APNsAdapter(epoch: .zero).answer(status: status, body: nothing, at: harness.now.wall)
            if connection.machine.pushAnswered(answer, at: now) == .drain { retire(&connection) }
            return answer.verdict
        case .resets(let verdict):
            if connection.machine.streamEndedUnanswered(among: open, at: now) == .drain { retire(&connection) }
            return verdict
        }
    }

    private mutating func retire(_ connection: inout Connection) {
        guard !connection.isRetired else { return }
        connection.isRetired = true
        let openMilliseconds = connection.openedAt.map { now - $0 }
        pool.connectionRetired(
            .ended, attemptedAt: connection.readyAt.earlier(byMilliseconds: 3 * Self.roundTripMilliseconds),
            openMilliseconds: openMilliseconds, at: now, random: random.unit())
    }
}
