import CarillonCluster
import CarillonCore

/// A process of a node: a ``ClusterNode`` with a model registry, a disk that keeps some of its states, and a sender.
///
// Safety: a simulation runs on one thread; completions of the log are called there.
final class SimulatedNode: @unchecked Sendable {
    typealias Operations = [(change: ModelChange, operation: Int?)]

    /// The cluster that the processes belong to: its log database, its times, the judge, the planted fault and the
    /// snapshots.
    final class Cluster {
        let database: SimulatedLogDatabase
        let judge: SimulationJudge
        let times: SimulationTimes
        let fault: ClusterSimulation.PlantedFault?
        /// The states of snapshots. The log database keeps their numbers.
        var snapshots: [ModelState] = []
        private var lastChange: UInt64 = 0

        init(
            _ database: SimulatedLogDatabase, _ judge: SimulationJudge, times: SimulationTimes,
            fault: ClusterSimulation.PlantedFault?
        ) {
            (self.database, self.judge, self.times, self.fault) = (database, judge, times, fault)
        }

        func change(_ action: ModelChange.Action) -> ModelChange {
            lastChange += 1
            return ModelChange(number: lastChange, action: action)
        }

        var now: UInt64 { database.now.milliseconds }
    }

    let name: NodeName
    let log: SimulatedLog
    let cluster: Cluster
    private let speed: Double
    private let offset: UInt64
    var random: SeededGenerator

    // What survives the process.
    private var disk: ModelState
    private var diskReplica = ClusterNode.Replica()
    private var replica: UUIDBytes
    var newestFormat: UInt16 = 1

    // The process.
    private(set) var start = 0
    private(set) var node: ClusterNode?
    private(set) var state = ModelState()
    private var stoppedUntil: UInt64 = 0
    private var inbox: [(SimulatedNode) -> Void] = []
    private var applying: (application: ClusterNode.Application, due: UInt64)?
    private var batches: [ClusterNode.BatchID: Operations] = [:]
    private var answers: [ClusterNode.BatchID: [UInt64]] = [:]
    private var held: [(position: LogPosition, operation: Int, answer: UInt64)] = []
    private var reads: [UInt64: UInt32] = [:]
    private var queue: [(change: ModelChange, operation: Int?, deadline: UInt64)] = []
    private var drainedUntil: UInt64?
    var sender: SimulatedSender

    init(_ name: NodeName, _ cluster: Cluster, hasData: Bool, speed: Double, random: SeededGenerator) {
        (self.name, self.cluster, self.speed, self.random) = (name, cluster, speed, random)
        log = cluster.database.log()
        offset = .random(in: 0...1_000_000, using: &self.random)
        replica = UUIDBytes(high: self.random.next(), low: self.random.next())
        disk = hasData ? .imported : ModelState()
        diskReplica.hasData = hasData
        sender = SimulatedSender(cluster)
    }

    var clock: Uptime { Uptime(milliseconds: offset + UInt64(Double(cluster.now) * speed)) }
    var process: SimulationJudge.ProcessID { .init(node: name, start: start) }
    var isUp: Bool { node != nil }
    var isStopped: Bool { stoppedUntil > cluster.now }

    /// True if the process serves and has no work left.
    var isIdle: Bool {
        guard let node, !isStopped else { return false }
        return node.readiness(at: clock) == .ready && queue.isEmpty && batches.isEmpty && held.isEmpty
            && sender.isIdle
    }

    /// The work that is left, for a report.
    var rest: String {
        guard let node else { return "is down" }
        return "\(node.readiness(at: clock)) At \(state.position), \(queue.count) changes wait, "
            + "\(batches.count) batches, \(held.count) answers, \(sender.rest)"
    }

    // MARK: Life

    func begin() {
        start += 1
        state = disk
        var options = ClusterNode.Options(name: name, replica: replica)
        cluster.times.set(in: &options)
        options.newestFormat = newestFormat
        // The same keys on every start: they are in the registry.
        options.parameters = Array(name.text.utf8)
        if cluster.fault == .freshnessUnchecked, name.text == "c" { options.maximumStalenessMilliseconds *= 40 }
        node = ClusterNode(options: options, replica: diskReplica)
        sender = SimulatedSender(cluster)
        pump()
    }

    /// Ends the process. The state that it has not written to its disk is lost.
    func crash() {
        guard isUp else { return }
        cluster.judge.processEnded(process)
        (node, applying, inbox, stoppedUntil, drainedUntil) = (nil, nil, [], 0, nil)
        (batches, answers, held, reads, queue) = ([:], [:], [], [:], [])
    }

    /// Stops the process for a time, as SIGSTOP does.
    func stop(for milliseconds: UInt64) { stoppedUntil = max(stoppedUntil, cluster.now + milliseconds) }

    func resume() { stoppedUntil = 0 }

    /// Lets the process send the pushes that it has on the wire, and leave.
    func leave() { if isUp, drainedUntil == nil { drainedUntil = cluster.now + 300 } }

    /// Replaces the disk by an empty one.
    func wipe() {
        guard !isUp else { return }
        (disk, diskReplica) = (ModelState(), ClusterNode.Replica())
        replica = UUIDBytes(high: random.next(), low: random.next())
    }

    func write() {
        disk = state
        diskReplica.log = node?.replica.log
        diskReplica.hash = state.hash
        diskReplica.initialState = state.initialState?.kind
    }

    // MARK: Time

    /// Does everything that is due.
    func tick() {
        guard isUp, !isStopped else { return }
        while !inbox.isEmpty { inbox.removeFirst()(self) }
        pump()
        if let due = node?.deadline, due <= clock { node?.timerFired(at: clock) }
        pump()
        if let applying, applying.due <= cluster.now { apply(applying.application) }
        pump()
        guard isUp else { return }
        drainIfAsked()
        if let member = node?.member {
            let mayBegin = drainedUntil == nil && (node?.actsUntil.map { clock < $0 } ?? false)
            sender.step(
                state, as: member, in: process, mayBegin: mayBegin || cluster.fault == .leaseUnchecked, at: clock,
                random: &random)
        }
        beginBatch()
        pump()
    }

    private func drainIfAsked() {
        guard let until = drainedUntil, until < .max, sender.isIdle || until <= cluster.now else { return }
        drainedUntil = .max
        node?.leave(deadline: clock + 300, at: clock)
    }

    /// Passes an event to the process if it is the one that was running when the event was asked for.
    func receive(_ start: Int, _ body: @escaping (SimulatedNode) -> Void) {
        guard start == self.start, isUp else { return }
        guard !isStopped, inbox.isEmpty else { return inbox.append(body) }
        body(self)
        pump()
    }

    /// Changes the machine with an event.
    func event(_ body: (inout ClusterNode, Uptime) -> Void) {
        guard var node else { return }
        self.node = nil
        body(&node, clock)
        self.node = node
    }

    /// Carries out all actions.
    func pump() {
        while let actions = node?.takeActions(), !actions.isEmpty {
            for effect in actions where isUp { carryOut(effect) }
        }
    }

    // MARK: Applying

    func begin(_ application: ClusterNode.Application) {
        let longest: UInt64 = Int.random(in: 0..<50, using: &random) == 0 ? 80 : 6
        applying = (application, cluster.now + .random(in: 0...longest, using: &random))
    }

    private func apply(_ application: ClusterNode.Application) {
        applying = nil
        var applied = ClusterNode.Applied(hashes: [], urgent: [])
        for (index, entry) in application.entries.enumerated() {
            let results = state.apply(entry)
            if cluster.fault == .applyTwice, Int.random(in: 0..<20, using: &random) == 0 {
                _ = state.applyContent(of: entry)
            }
            cluster.judge.applied(state, by: name)
            if let batch = application.batches[index] { answers[batch] = results.map(\.answer) }
            if results.contains(where: { $0.change.isUrgent }) { applied.urgent.insert(state.position) }
            applied.hashes.append(state.hash)
        }
        sender.applied(state)
        if Int.random(in: 0..<6, using: &random) == 0 { write() }
        node?.entriesApplied(applied, at: clock)
    }

    func load(_ loaded: ModelState) {
        cluster.judge.happened(.loadedSnapshot)
        state = loaded
        write()
        var replica = diskReplica
        replica.hasData = false
        diskReplica.hasData = false
        sender.applied(state)
        node?.snapshotLoaded(.success(replica), at: clock)
    }

    // MARK: Batches

    /// Takes a change from a client.
    func submit(_ change: ModelChange, operation: Int) {
        receive(start) { $0.queue.append((change, operation, $0.cluster.now + 150)) }
    }

    private func beginBatch() {
        queue.removeAll { entry in
            guard let operation = entry.operation, entry.deadline <= cluster.now else { return false }
            cluster.judge.refused(operation)
            return true
        }
        guard node?.mayBeginBatch == true else { return }
        let own = sender.takeChanges(state)
        guard !queue.isEmpty || !own.isEmpty else { return }
        var batch: Operations = queue.map { ($0.change, $0.operation) } + own.map { (cluster.change($0), nil) }
        queue = []
        let bytes = batch.map(\.change).bytes
        if cluster.fault == .answeredBeforeAppend { answerEarly(&batch, bytes) }
        if let id = node?.begin(bytes, deadline: clock + 200, at: clock) { batches[id] = batch }
    }

    /// Answers changes now that will be applied later, as a planted fault.
    private func answerEarly(_ batch: inout Operations, _ bytes: [UInt8]) {
        var ahead = state
        guard let member = node?.member, let position = state.position.next,
            let entry = LogEntry(
                id: LogEntry.ID(member: member, sequence: 1), format: 1, content: .changes(bytes))
        else { return }
        for (index, result) in ahead.apply(entry).enumerated() {
            guard let operation = batch[index].operation else { continue }
            cluster.judge.answered(operation, result.answer, at: position, now: cluster.now)
            batch[index].operation = nil
        }
    }

    func finish(_ id: ClusterNode.BatchID, _ end: ClusterNode.BatchEnd) {
        guard let batch = batches.removeValue(forKey: id) else { return }
        let answers = answers.removeValue(forKey: id)
        for (index, (change, operation)) in batch.enumerated() {
            switch end {
            case .applied(let position):
                guard let operation, let answer = answers?[index] else { continue }
                if change.isUrgent, cluster.fault != .acknowledgedAtOnce {
                    held.append((position, operation, answer))
                } else {
                    cluster.judge.answered(operation, answer, at: position, now: cluster.now)
                }
            case .refused: if let operation { cluster.judge.refused(operation) }
            case .unknown: break
            }
        }
        let own = batch.filter { $0.operation == nil }.map(\.change.action)
        if case .applied = end { sender.ended(own, isKnown: true) } else { sender.ended(own, isKnown: false) }
    }

    func acknowledge(through position: LogPosition) {
        cluster.judge.happened(.acknowledged)
        for each in held where each.position <= position {
            cluster.judge.answered(each.operation, each.answer, at: each.position, now: cluster.now)
        }
        held.removeAll { $0.position <= position }
    }

    // MARK: Reads

    /// Takes a read of a register from a client.
    func read(_ register: UInt32, _ demand: ReadRule.Demand, operation: Int) {
        receive(start) { process in
            let id = UInt64(operation)
            process.reads[id] = register
            let decision = process.node?.read(id, demand, deadline: process.clock + 100, at: process.clock)
            switch decision {
            case .answer: process.endRead(id, refusal: nil)
            case .refuse(let refusal): process.endRead(id, refusal: refusal)
            case .wait, nil: break
            }
        }
    }

    func endRead(_ id: UInt64, refusal: ReadRule.ReadRefusal?) {
        guard let register = reads.removeValue(forKey: id) else { return }
        guard refusal == nil else { return cluster.judge.refused(Int(id)) }
        cluster.judge.answered(Int(id), state.registers[Int(register)], at: state.position, now: cluster.now)
    }
}
