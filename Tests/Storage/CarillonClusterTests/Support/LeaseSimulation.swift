import CarillonClusterTestKit
import CarillonCore
import Synchronization
import Testing

@testable import CarillonCluster

/// A simulation of three nodes that expire each other on a bad network, with clocks that run at different speeds, and a
/// log database whose clock jumps.
final class LeaseSimulation {
    /// A fault that would let a member act that is over.
    enum PlantedFault: CaseIterable, Sendable {
        /// A lease is counted from the answer of its renewal.
        case countedFromTheAnswer
        /// The other nodes wait for no margin, with clocks that are far apart.
        case noMargin
        /// The log database's clock alone decides.
        case databaseClockAlone
    }

    /// A node with a clock of its own.
    private final class Process: Sendable {
        struct State: Sendable {
            var member: Member?
            var lease: LeaseRule?
            var expiry: ExpiryRule?
            var view: ClusterView?
            var isRenewing = false
            var isExpiring = false
            var isJoining = false
            var sequence: UInt64 = 2
            var stoppedUntil: UInt64 = 0
        }

        let name: NodeName
        let log: SimulatedLog
        /// The milliseconds of the node's clock in 1,000 of true time, and the time that it showed at the beginning.
        let speed: UInt64
        let offset: UInt64
        let state = Mutex(State())

        init(_ name: NodeName, log: SimulatedLog, speed: UInt64, offset: UInt64) {
            self.name = name
            self.log = log
            self.speed = speed
            self.offset = offset
        }

        func clock(at now: Uptime) -> Uptime { Uptime(milliseconds: offset + now.milliseconds * speed / 1_000) }
    }

    private let database: SimulatedLogDatabase
    private let fault: PlantedFault?
    private let times: LeaseTimes
    private var random: SeededGenerator
    private var processes: [Process] = []

    init(seed: UInt64, fault: PlantedFault? = nil) throws {
        database = SimulatedLogDatabase(seed: seed)
        self.fault = fault
        random = SeededGenerator(seed: seed &+ 1)
        times = LeaseTimes(
            leaseMilliseconds: 400, marginMilliseconds: fault == .noMargin ? 0 : 100, renewalMilliseconds: 100)
        // With 400 ms of lease and 100 of margin, clocks may differ by a tenth; these differ by a twentieth at most.
        let speeds: ClosedRange<UInt64> = fault == .noMargin ? 700...1_300 : 976...1_024
        for name in ["a", "b", "c"] {
            processes.append(
                Process(
                    try #require(NodeName(name)), log: database.log(), speed: .random(in: speeds, using: &random),
                    offset: .random(in: 0...1_000_000, using: &random)))
        }
    }

    /// The number of entries that say that a member is expired.
    var expiries: Int {
        database.state.keptEntries.count { if case .expired = $0.1.content { true } else { false } }
    }

    /// Runs the simulation, and returns what is wrong.
    func run() -> [String] {
        var violations: [String] = []
        for _ in 0..<2_000 {
            disturb()
            for process in processes { advance(process) }
            database.advance(by: UInt64.random(in: 1...5, using: &random))
            judge(&violations)
        }
        return violations
    }

    /// Appends a violation for each member that may act and is over.
    private func judge(_ violations: inout [String]) {
        let now = database.now
        let acting = processes.compactMap { process -> Member? in
            let state = process.state.withLock { $0 }
            let isInForce = state.lease?.isInForce(at: process.clock(at: now)) == true
            return isInForce && state.stoppedUntil <= now.milliseconds ? state.member : nil
        }
        // Before the first node has joined, the log has no tables to look at.
        guard !acting.isEmpty else { return }
        do {
            let nodes = try database.state.view(at: 0).nodes
            for member in acting where nodes.contains(where: { $0.member == member && !$0.isLive }) {
                violations.append("\(member) may act at \(now) and is over")
            }
        } catch {
            violations.append("members may act at \(now), and the log has no view of them: \(error)")
        }
    }

    /// Mostly does nothing; else something goes wrong, or is right again.
    private func disturb() {
        let process = processes[Int.random(in: 0..<3, using: &random)]
        switch Int.random(in: 0..<100, using: &random) {
        case 0: changeNetwork()
        case 1...4: cutOrJoinPath(of: process)
        case 5: stop(process)
        case 6: database.jumpClock(by: UInt64.random(in: 0...2_000, using: &random))
        case 7: slowOrFreeAnswers(to: process)
        default: break
        }
    }

    private func changeNetwork() {
        var network = SimulatedLogDatabase.Network()
        network.delay = 1...([2, 20, 240, 450].randomElement(using: &random) ?? 2)
        network.loss = [0, 0, 0.3].randomElement(using: &random) ?? 0
        database.setNetwork(network)
    }

    private func cutOrJoinPath(of process: Process) {
        let there = Bool.random(using: &random)
        let back = Bool.random(using: &random)
        database.setPath(of: process.log) { ($0.isCutThere, $0.isCutBack) = (there, back) }
    }

    /// Stops a node for longer than its lease and the margin.
    private func stop(_ process: Process) {
        let until = database.now.milliseconds + 700
        process.state.withLock { $0.stoppedUntil = until }
    }

    /// Makes answers take longer than a lease, or no time.
    private func slowOrFreeAnswers(to process: Process) {
        let slowness: UInt64 = Bool.random(using: &random) ? 0 : 450
        database.setPath(of: process.log) { $0.slownessBack = slowness }
    }

    private func advance(_ process: Process) {
        let (now, database) = (database.now, database)
        let clock = process.clock(at: now)
        let state = process.state.withLock { $0 }
        guard state.stoppedUntil <= now.milliseconds else { return }
        guard let member = state.member, state.lease?.isOver != true else { return join(process, at: clock) }
        if !state.isRenewing, let due = state.lease?.nextRenewal, due <= clock { renew(process, as: member, at: clock) }
        guard !state.isExpiring, let expiring = expirable(for: state, at: clock) else { return }
        let id = LogEntry.ID(member: member, sequence: state.sequence)
        guard let entry = LogEntry(id: id, format: 1, content: .expired(expiring.member)) else { return }
        process.state.withLock { ($0.isExpiring, $0.sequence) = (true, $0.sequence + 1) }
        process.log.expire(entry, silence: expiring.silence, withinMilliseconds: 300) { result in
            let clock = process.clock(at: database.now)
            process.state.withLock { state in
                state.isExpiring = false
                if result == .failure(.leaseRenewed) { state.expiry?.expiryRefused(of: expiring.member, at: clock) }
            }
        }
    }

    private func expirable(for state: Process.State, at clock: Uptime) -> (member: Member, silence: RequiredSilence)? {
        guard fault == .databaseClockAlone else { return state.expiry?.expirableMembers(at: clock).first }
        let node = state.view?.liveNodes.first {
            $0.member != state.member && $0.silenceMilliseconds >= times.leaseMilliseconds + times.marginMilliseconds
        }
        return node.map {
            (
                $0.member,
                RequiredSilence(renewals: $0.renewals, milliseconds: times.leaseMilliseconds + times.marginMilliseconds)
            )
        }
    }

    private func join(_ process: Process, at clock: Uptime) {
        guard !process.state.withLock({ $0.isJoining }) else { return }
        process.state.withLock { $0.isJoining = true }
        let times = times
        let replica = UUIDBytes(high: 1, low: UInt64(process.name.text.utf8.first ?? 0))
        let node = JoiningNode(
            name: process.name, replicaID: replica, address: "", format: 1, leaseMilliseconds: times.leaseMilliseconds)
        process.log.join(node, withinMilliseconds: 500) { result in
            process.state.withLock { state in
                state.isJoining = false
                guard let member = try? result.get().member else { return }
                state.member = member
                state.sequence = 2
                state.isRenewing = false
                state.lease = LeaseRule(times: times, joinSentAt: clock)
                state.expiry = ExpiryRule(member: member, times: times)
            }
        }
    }

    private func renew(_ process: Process, as member: Member, at clock: Uptime) {
        let database = database
        let fault = fault
        process.state.withLock { state in
            state.isRenewing = true
            state.lease?.renewalBegins(at: clock)
        }
        let progress = NodeProgress(
            member: member, applied: 0, hash: .zero, leaseMilliseconds: times.leaseMilliseconds, address: "",
            version: "", newestFormat: 1)
        process.log.renew(progress, withinMilliseconds: 500) { result in
            let clock = process.clock(at: database.now)
            process.state.withLock { state in
                guard state.member == member else { return }
                state.isRenewing = false
                switch result {
                case .success(let view):
                    if fault == .countedFromTheAnswer { state.lease?.renewalBegins(at: clock) }
                    state.lease?.leaseRenewed()
                    state.expiry?.viewReceived(view, at: clock)
                    state.view = view
                case .failure(let failure): state.lease?.renewalFailed(failure, at: clock)
                }
            }
        }
    }
}
