import CarillonCluster
import CarillonCore

/// A node of a simulation: its data directory, and the process that runs on it with a ``ClusterNode``, a model of the
/// registry, and a sender.
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
            self.database = database
            self.judge = judge
            self.times = times
            self.fault = fault
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

    /// The data directory, which survives the process.
    private struct Directory {
        var replicaID: UUIDBytes
        /// The contents of the registry, as of its last commit.
        var model = ModelState()
        /// The state of the replica, as of that commit.
        var replicaState = ReplicaState()
    }

    /// A change that a client has submitted, and that waits for the next batch.
    private struct QueuedChange {
        var change: ModelChange
        var operation: Int
        var deadline: UInt64
    }

    /// An answer that waits until the other nodes know of its change.
    private struct WaitingAnswer {
        var position: LogPosition
        var operation: Int
        var answer: UInt64
    }

    private var directory: Directory
    /// The newest format that the program of the node knows.
    var newestFormat: UInt16 = 1

    // The process.
    /// The number of times that the process was started.
    private(set) var startCount = 0
    private(set) var node: ClusterNode?
    /// The contents of the registry now.
    private(set) var model = ModelState()
    private var stoppedUntil: UInt64 = 0
    /// The events that came while the process was stopped.
    private var inbox: [(SimulatedNode) -> Void] = []
    private var applying: (application: ClusterNode.EntriesToApply, due: UInt64)?
    private var batches: [ClusterNode.BatchID: Operations] = [:]
    /// The answers of the batches that are applied, until the node tells their end.
    private var answers: [ClusterNode.BatchID: [UInt64]] = [:]
    private var waitingAnswers: [WaitingAnswer] = []
    /// The cells that are read, by the numbers of the reads that wait.
    private var reads: [UInt64: UInt32] = [:]
    private var queue: [QueuedChange] = []
    /// The time at which the process leaves, with or without the pushes that it has on the wire; nil if it is to stay.
    private var leavesAt: UInt64?
    var sender: SimulatedSender

    init(_ name: NodeName, _ cluster: Cluster, hasForeignData: Bool, speed: Double, random: SeededGenerator) {
        self.name = name
        self.cluster = cluster
        self.speed = speed
        self.random = random
        log = cluster.database.log()
        offset = .random(in: 0...1_000_000, using: &self.random)
        directory = Directory(replicaID: self.random.nextUUID())
        if hasForeignData { directory.model = .imported }
        directory.replicaState.hasForeignData = hasForeignData
        sender = SimulatedSender(cluster)
    }

    var clock: Uptime { Uptime(milliseconds: offset + UInt64(Double(cluster.now) * speed)) }
    var process: PushJudge.ProcessID { .init(node: name, start: startCount) }
    var isUp: Bool { node != nil }
    var isStopped: Bool { stoppedUntil > cluster.now }

    /// True if the process serves and has no work left.
    var isIdle: Bool {
        guard let node, !isStopped else { return false }
        return node.readiness(at: clock) == .ready && queue.isEmpty && batches.isEmpty && waitingAnswers.isEmpty
            && sender.isIdle
    }

    /// The work that is left, for a report.
    var remainingWork: String {
        guard let node else { return "is down" }
        return "\(node.readiness(at: clock)) At \(model.position), \(queue.count) changes wait, "
            + "\(batches.count) batches, \(waitingAnswers.count) answers, \(sender.remainingWork)"
    }

    // MARK: Life

    func start() {
        startCount += 1
        model = directory.model
        var options = ClusterNode.Options(name: name, replicaID: directory.replicaID)
        cluster.times.set(in: &options)
        options.newestFormat = newestFormat
        // The same keys on every start: they are in the registry.
        options.parameters = Array(name.text.utf8)
        if cluster.fault == .freshnessUnchecked, name.text == "c" { options.maximumStalenessMilliseconds *= 40 }
        node = ClusterNode(options: options, replicaState: directory.replicaState)
        sender = SimulatedSender(cluster)
        pump()
    }

    /// Ends the process. What it has not committed is lost.
    func crash() {
        guard isUp else { return }
        cluster.judge.processEnded(process)
        node = nil
        applying = nil
        inbox = []
        stoppedUntil = 0
        leavesAt = nil
        batches = [:]
        answers = [:]
        waitingAnswers = []
        reads = [:]
        queue = []
    }

    /// Stops the process for a time, as SIGSTOP does.
    func stop(for milliseconds: UInt64) { stoppedUntil = max(stoppedUntil, cluster.now + milliseconds) }

    func resume() { stoppedUntil = 0 }

    /// Lets the process wait for the answers to the pushes that it has on the wire, for a time, and leave.
    func leave() { if isUp, leavesAt == nil { leavesAt = cluster.now + cluster.times.leavingMilliseconds } }

    /// Replaces the data directory by an empty one.
    func wipe() {
        guard !isUp else { return }
        directory = Directory(replicaID: random.nextUUID())
    }

    /// Commits the registry to the data directory.
    func commit() {
        directory.model = model
        directory.replicaState.log = node?.replicaState.log
        directory.replicaState.applied = model.hash
        directory.replicaState.initialState = model.initialState?.kind
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
        leaveIfDue()
        if let member = node?.member {
            let mayBegin = leavesAt == nil && (node?.mayActUntil.map { clock < $0 } ?? false)
            sender.step(
                model, as: SimulatedSender.Identity(member: member, process: process),
                mayBegin: mayBegin || cluster.fault == .leaseUnchecked, random: &random)
        }
        beginBatch()
        pump()
    }

    private func leaveIfDue() {
        guard let leavesAt, leavesAt < .max, sender.isIdle || leavesAt <= cluster.now else { return }
        self.leavesAt = .max
        node?.leave(deadline: clock + cluster.times.leavingMilliseconds, at: clock)
    }

    /// Passes an event to the process if it is the one that was running when the event was asked for.
    func receive(inStart start: Int, _ body: @escaping (SimulatedNode) -> Void) {
        guard start == startCount, isUp else { return }
        guard !isStopped, inbox.isEmpty else { return inbox.append(body) }
        body(self)
        pump()
    }

    func event(_ body: (inout ClusterNode, Uptime) -> Void) {
        guard var node else { return }
        self.node = nil
        body(&node, clock)
        self.node = node
    }

    /// Carries out all actions.
    func pump() {
        while let actions = node?.takeActions(), !actions.isEmpty {
            for action in actions where isUp { carryOut(action) }
        }
    }

    // MARK: Applying

    func beginApplying(_ application: ClusterNode.EntriesToApply) {
        let isSlow = random.isOne(in: 50)
        let longest = isSlow ? cluster.times.maximumSlowApplyMilliseconds : cluster.times.maximumApplyMilliseconds
        applying = (application, cluster.now + .random(in: 0...longest, using: &random))
    }

    private func apply(_ application: ClusterNode.EntriesToApply) {
        applying = nil
        var result = ClusterNode.ApplyResult(hashes: [], urgent: [])
        for (index, entry) in application.entries.enumerated() {
            let changeResults = model.apply(entry)
            if cluster.fault == .applyTwice, random.isOne(in: 20) {
                _ = model.applyContent(of: entry)
            }
            cluster.judge.applied(model, by: name)
            if let batch = application.batches[index] { answers[batch] = changeResults.map(\.answer) }
            if changeResults.contains(where: { $0.change.isUrgent }) { result.urgent.insert(model.position) }
            result.hashes.append(model.hash)
        }
        sender.applied(model)
        if random.isOne(in: 6) { commit() }
        node?.entriesApplied(result, at: clock)
    }

    func load(_ loaded: ModelState) {
        cluster.judge.happened(.loadedSnapshot)
        model = loaded
        commit()
        directory.replicaState.hasForeignData = false
        sender.applied(model)
        node?.snapshotLoadEnded(.success(directory.replicaState), at: clock)
    }

    // MARK: Batches

    /// Takes a change from a client.
    func submit(_ change: ModelChange, operation: Int) {
        receive(inStart: startCount) { process in
            let deadline = process.cluster.now + process.cluster.times.maximumQueueingMilliseconds
            process.queue.append(QueuedChange(change: change, operation: operation, deadline: deadline))
        }
    }

    private func beginBatch() {
        for late in queue where late.deadline <= cluster.now { cluster.judge.refused(late.operation) }
        queue.removeAll { $0.deadline <= cluster.now }
        guard node?.mayBeginBatch == true else { return }
        let own = sender.takeChanges()
        guard !queue.isEmpty || !own.isEmpty else { return }
        var batch: Operations = queue.map { ($0.change, $0.operation) } + own.map { (cluster.change($0), nil) }
        queue = []
        let bytes = batch.map(\.change).bytes
        if cluster.fault == .answeredBeforeAppend { answerEarly(&batch, bytes) }
        if let id = node?.begin(bytes, deadline: clock + cluster.times.maximumBatchMilliseconds, at: clock) {
            batches[id] = batch
        }
    }

    /// Answers changes now that will be applied later, as a planted fault.
    private func answerEarly(_ batch: inout Operations, _ bytes: [UInt8]) {
        var ahead = model
        guard let member = node?.member, let position = model.position.next,
            let entry = LogEntry(
                id: LogEntry.ID(member: member, sequence: 1), format: 1, content: .changes(bytes))
        else { return }
        for (index, result) in ahead.apply(entry).enumerated() {
            guard let operation = batch[index].operation else { continue }
            cluster.judge.answered(operation, with: result.answer, at: position, now: cluster.now)
            batch[index].operation = nil
        }
    }

    func finish(_ id: ClusterNode.BatchID, with end: ClusterNode.BatchEnd) {
        guard let batch = batches.removeValue(forKey: id) else { return }
        let answers = answers.removeValue(forKey: id)
        for (index, (change, operation)) in batch.enumerated() {
            switch end {
            case .applied(let position):
                guard let operation, let answer = answers?[index] else { continue }
                if change.isUrgent, cluster.fault != .answeredAtOnce {
                    waitingAnswers.append(
                        WaitingAnswer(position: position, operation: operation, answer: answer))
                } else {
                    cluster.judge.answered(operation, with: answer, at: position, now: cluster.now)
                }
            case .refused: if let operation { cluster.judge.refused(operation) }
            case .unknown: break
            }
        }
        let own = batch.filter { $0.operation == nil }.map(\.change.action)
        if case .applied = end { sender.ended(own, isKnown: true) } else { sender.ended(own, isKnown: false) }
    }

    func answerChanges(through position: LogPosition) {
        cluster.judge.happened(.answeredAfterWaiting)
        for waiting in waitingAnswers where waiting.position <= position {
            cluster.judge.answered(waiting.operation, with: waiting.answer, at: waiting.position, now: cluster.now)
        }
        waitingAnswers.removeAll { $0.position <= position }
    }

    // MARK: Reads

    /// Takes a read of a cell from a client.
    func read(_ cell: UInt32, demanding demand: ReadRule.Demand, operation: Int) {
        receive(inStart: startCount) { process in
            let id = UInt64(operation)
            process.reads[id] = cell
            let decision = process.node?.read(
                id, demanding: demand, deadline: process.clock + process.cluster.times.maximumReadMilliseconds,
                at: process.clock)
            switch decision {
            case .answer: process.endRead(id, refusal: nil)
            case .refuse(let refusal): process.endRead(id, refusal: refusal)
            case .wait, nil: break
            }
        }
    }

    func endRead(_ id: UInt64, refusal: ReadRule.Refusal?) {
        guard let cell = reads.removeValue(forKey: id) else { return }
        guard refusal == nil else { return cluster.judge.refused(Int(id)) }
        cluster.judge.answered(Int(id), with: model.cells[Int(cell)], at: model.position, now: cluster.now)
    }
}

extension SeededGenerator {
    /// Returns true in one of `count` cases.
    fileprivate mutating func isOne(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    fileprivate mutating func nextUUID() -> UUIDBytes { UUIDBytes(high: next(), low: next()) }
}
