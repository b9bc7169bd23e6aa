import CarillonCluster
import CarillonClusterTestKit
import CarillonCore
import Synchronization

/// A simulation of nodes that append numbered entries through a bad network, are cut off, and join again while their
/// earlier incarnation still runs. A judge compares the log with what they were told.
final class AppendSimulation {
    /// The answers that nodes were told, by the texts of their entries.
    private struct Answers: Sendable {
        var appended: [String: LogPosition] = [:]
        var refused: Set<String> = []
    }

    /// One incarnation of a node, which always has an entry in flight.
    private final class Process: Sendable {
        struct State: Sendable {
            var rule: AppendRule?
            var action: AppendRule.Action?
            var waitsUntil: Uptime?
            var isCalling = false
            var entries = 0
        }

        let name: NodeName
        let log: SimulatedLog
        let state = Mutex(State())

        init(_ name: NodeName, _ log: SimulatedLog) { (self.name, self.log) = (name, log) }

        var text: String { state.withLock { "\(name)/\($0.rule?.member.incarnation ?? 0) entry \($0.entries)" } }
    }

    private let database: SimulatedLogDatabase
    private var random: SeededGenerator
    private let settles: Bool
    private var processes: [Process] = []
    private let answers = Mutex(Answers())

    init(seed: UInt64, settles: Bool = true, fences: Bool = true) {
        database = SimulatedLogDatabase(seed: seed)
        random = SeededGenerator(seed: seed &+ 1)
        self.settles = settles
        if !fences { database.changeState { $0.isFencingOff = true } }
        for name in ["a", "b", "c"] { start(name) }
    }

    private func start(_ name: String) {
        guard let name = NodeName(name) else { return }
        processes.append(Process(name, database.log()))
    }

    /// Runs the simulation, and returns the answers that were not true, and what else is wrong.
    func run() -> [String] {
        for _ in 0..<300 {
            disturb()
            for process in processes { advance(process, begins: true) }
            database.advance(by: UInt64.random(in: 1...30, using: &random))
        }
        // The faults end, and every entry gets its end.
        database.setNetwork(SimulatedLogDatabase.Network())
        database.setDown(false)
        for process in processes { database.setPath(of: process.log) { $0 = SimulatedLogDatabase.Path() } }
        for _ in 0..<100 {
            for process in processes { advance(process, begins: false) }
            database.advance(by: 1_000)
        }
        return judge()
    }

    private func disturb() {
        switch Int.random(in: 0..<60, using: &random) {
        case 0:
            var network = SimulatedLogDatabase.Network()
            network.delay = 1...UInt64.random(in: 1...100, using: &random)
            network.loss = [0, 0.05, 0.3].randomElement(using: &random) ?? 0
            network.breaks = [0, 0.1, 0.4].randomElement(using: &random) ?? 0
            database.setNetwork(network)
        case 1: database.setDown(Bool.random(using: &random))
        case 2, 3:
            let there = Bool.random(using: &random)
            let back = Bool.random(using: &random)
            guard let process = processes.randomElement(using: &random) else { return }
            database.setPath(of: process.log) { ($0.isCutThere, $0.isCutBack) = (there, back) }
        case 4, 5:
            let end = SimulatedLogDatabase.AppendEnd.allCases.randomElement(using: &random)
            guard let process = processes.randomElement(using: &random) else { return }
            database.setPath(of: process.log) { $0.nextAppend = end }
        case 6 where processes.count < 8: start(["a", "b", "c"].randomElement(using: &random) ?? "a")
        default: break
        }
    }

    // MARK: One process

    private func advance(_ process: Process, begins: Bool) {
        let now = database.now
        let action: AppendRule.Action? = process.state.withLock { state in
            guard !state.isCalling, state.waitsUntil.map({ $0 <= now }) ?? true else { return nil }
            if state.waitsUntil.take() != nil { state.action = state.rule?.delayEnded(at: now) }
            return state.action.take()
        }
        if let action { return carryOut(action, of: process) }
        let isIdle = process.state.withLock { $0.rule.map { !$0.isBusy && !$0.isFenced } ?? true && !$0.isCalling }
        guard begins, isIdle else { return }
        let hasJoined = process.state.withLock { $0.rule != nil }
        guard hasJoined else { return join(process) }
        process.state.withLock { $0.entries += 1 }
        let text = process.text
        process.state.withLock { state in
            state.action = state.rule?.begin(
                .changes(Array(text.utf8)), format: 1, deadline: now + 200, at: now)
        }
        advance(process, begins: false)
    }

    private func join(_ process: Process) {
        process.state.withLock { $0.isCalling = true }
        let replica = UUIDBytes(high: 1, low: UInt64(process.name.text.utf8.first ?? 0))
        let node = JoiningNode(name: process.name, replicaID: replica, address: "", format: 1, leaseMilliseconds: 100)
        process.log.join(node, withinMilliseconds: 100) { result in
            process.state.withLock { state in
                state.isCalling = false
                if let membership = try? result.get() { state.rule = AppendRule(member: membership.member) }
            }
        }
    }

    private func carryOut(_ action: AppendRule.Action, of process: Process) {
        let database = database
        switch action {
        case .append(let entry):
            process.state.withLock { $0.isCalling = true }
            process.log.append(entry, withinMilliseconds: 100) { result in
                let now = database.now
                process.state.withLock { state in
                    state.isCalling = false
                    switch result {
                    case .success(let position): state.action = state.rule?.entryAppended(at: position)
                    case .failure(let failure): state.action = state.rule?.appendFailed(failure, at: now)
                    }
                }
            }
        case .settle(let id):
            guard settles else {
                // The planted fault: nothing is looked up.
                return process.state.withLock { $0.action = $0.rule?.entrySettled(.never, at: database.now) }
            }
            process.state.withLock { $0.isCalling = true }
            process.log.settle(id, withinMilliseconds: 100) { result in
                let now = database.now
                process.state.withLock { state in
                    state.isCalling = false
                    switch result {
                    case .success(let settlement): state.action = state.rule?.entrySettled(settlement, at: now)
                    case .failure(let failure): state.action = state.rule?.settleFailed(failure, at: now)
                    }
                }
            }
        case .wait(let until), .reportUnknown(let until): process.state.withLock { $0.waitsUntil = until }
        case .finish(let answer), .finishUnknown(let answer):
            let text = process.text
            answers.withLock { answers in
                switch answer {
                case .appended(let position): answers.appended[text] = position
                case .refused: answers.refused.insert(text)
                case .forgotten: break
                }
            }
        }
    }

    // MARK: The judge

    private func judge() -> [String] {
        var violations: [String] = []
        var found: [String: LogPosition] = [:]
        var newest: [NodeName: UInt64] = [:]
        for (index, (position, entry)) in database.state.keptEntries.enumerated() {
            if position.number != UInt64(index) + 1 { violations.append("position \(position) is not dense") }
            let member = entry.id.member
            if entry.content == .joined { newest[member.node] = member.incarnation }
            if newest[member.node] != member.incarnation {
                violations.append("\(entry.id) came after a later incarnation")
            }
            guard case .changes(let bytes) = entry.content else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            if found[text] != nil { violations.append("\(text) is there twice") }
            found[text] = position
        }
        let answers = answers.withLock { $0 }
        for (text, position) in answers.appended where found[text] != position {
            violations.append("\(text) was told to be at \(position)")
        }
        for text in answers.refused where found[text] != nil { violations.append("\(text) was told to be refused") }
        for process in processes where process.state.withLock({ $0.rule?.isBusy ?? false }) {
            violations.append("\(process.text) has no end")
        }
        if answers.appended.isEmpty { violations.append("nothing was appended") }
        return violations
    }
}
