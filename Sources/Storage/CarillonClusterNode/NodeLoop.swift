package import CarillonCluster
package import CarillonCore
package import CarillonRegistry

/// The loop that runs a ``ClusterNode``: it brings events to the node with the time, and carries out the actions of the
/// node. Everything happens in jobs of one ``NodeExecutor``.
///
/// The registry applies the entries on its own thread (``ReplicaExchange``), and snapshots are made and fetched on
/// threads of their own, so a long entry delays no renewal of the lease.
// Safety: everything mutable is touched in jobs of the executor, except `published`, which any thread may read.
package final class NodeLoop: @unchecked Sendable {
    /// The times, in milliseconds, after which a call of the log counts as failed, and the end of a batch as unknown.
    package struct Timeouts: Sendable {
        /// The time for a call that appends or reads entries.
        package var entriesMilliseconds: UInt64 = 2_000
        /// The time for a join, and for a renewal of the lease.
        package var controlMilliseconds: UInt64 = 1_000
        /// The time for each call about a snapshot, such as that of one chunk, and for one trimming.
        package var bulkMilliseconds: UInt64 = 30_000
        /// The time from the beginning of a batch until its callers are told that its end is unknown.
        package var batchMilliseconds: UInt64 = 2_000

        package init() {}
    }

    /// The closures that are told of events of the node. They must not wait. They are called in a job of the executor,
    /// except ``appended`` and ``noticed``.
    package struct Observer: Sendable {
        package var incarnationBegan: @Sendable (Member) -> Void = { _ in }
        /// The incarnation is over. No push may begin.
        package var incarnationEnded: @Sendable (Member) -> Void = { _ in }
        /// The node has stopped for good.
        package var stopped: @Sendable (ClusterNode.StopReason) -> Void = { _ in }
        /// A database that replaces this one is ready (``ReplicaReplacement``). The caller closes the registry and
        /// opens it again, with a new node.
        package var mustStartAgain: @Sendable () -> Void = {}
        /// An entry of this node is in the log. The argument is the nanoseconds since the entry was handed over. Called
        /// on any thread.
        package var appended: @Sendable (UInt64) -> Void = { _ in }
        /// The loop has a sentence for operators. Called on any thread.
        package var noticed: @Sendable (String) -> Void = { _ in }

        package init() {}
    }

    /// The state of a node at one moment.
    package struct Status: Sendable {
        /// The readiness of the node to serve clients, or the reason why it does not.
        package var readiness: ClusterNode.Readiness
        /// The node in its present incarnation; nil if it has none.
        package var member: Member?
        /// The position of the last entry that the replica contains.
        package var applied: LogPosition
        /// The number of entries that are known to be in the log and are not applied.
        package var lagEntries: UInt64
        /// The number of bytes of the entries that the replica has applied since the start.
        package var appliedBytes: UInt64 = 0
        /// The milliseconds for which the node may begin pushes and answer requests if it hears nothing more.
        package var remainingMilliseconds: UInt64 = 0
        /// The last view of all nodes, perhaps from an earlier incarnation; nil before the first renewal.
        package var view: ClusterView?
        /// The time at which the log database last answered a renewal, with ``view``.
        package var renewalAnsweredAt: Uptime = 0
    }

    let executor: any NodeExecutor
    let log: any SharedLog
    let registry: LMDBRegistry
    let exchange: ReplicaExchange
    let timeouts: Timeouts
    let options: ClusterNode.Options
    let observer: Observer
    var node: ClusterNode
    var instructions: [ReplicaExchange.Instruction] = []
    private var timer: (at: Uptime, cancel: @Sendable () -> Void)?
    /// True once no more actions are carried out.
    private(set) var isEnded = false
    /// The callers that wait until the replica has reached a position.
    private var reads: WaitingCallers<@Sendable (Bool) -> Void> = WaitingCallers()
    /// The callers that wait for the end of a removal.
    var removals = WaitingCallers<Removal>()
    /// The time at which the log database last answered a renewal.
    private var renewalAnsweredAt: Uptime = 0
    private let published: PublishedStatus

    /// The node does nothing before ``start()``.
    ///
    /// - Parameters:
    ///   - name: the name of the node.
    ///   - registry: the registry, which was opened with `exchange` and waits there for the node.
    ///   - log: the log, which belongs to the node from now on, and is closed with it.
    ///   - change: a closure that changes the usual options of a node.
    /// - Throws: `.closed` if the registry was not opened with the exchange.
    package init(
        _ name: NodeName, of registry: LMDBRegistry, exchange: ReplicaExchange, on log: any SharedLog,
        executor: any NodeExecutor, timeouts: Timeouts = Timeouts(), observer: Observer = Observer(),
        _ change: (inout ClusterNode.Options) -> Void = { _ in }
    ) throws(RegistryError) {
        guard let record = exchange.appliedState?.record else { throw .closed }
        var options = ClusterNode.Options(name: name, replicaID: record.replicaID)
        // The id tells whether the data of a directory belong to the log. A server that has gone on alone since then
        // has another id.
        options.parameters = registry.initialParameters + record.replicaID.bytes
        options.newestFormat = ReplicaExchange.newestFormat
        change(&options)
        self.registry = registry
        self.exchange = exchange
        self.log = log
        self.executor = executor
        self.timeouts = timeouts
        self.options = options
        self.observer = observer
        node = ClusterNode(options: options, replicaState: record.state)
        published = PublishedStatus(
            Status(
                readiness: .joining(nil), member: nil, applied: record.state.applied.position, lagEntries: 0, view: nil)
        )
    }

    // MARK: Life

    /// Begins the work of the node: it joins the cluster.
    package func start() {
        exchange.attach(
            ReplicaExchange.NodeCalls(
                append: { [weak self] changes, format in self?.post { $0.begin(changes, needing: format) } },
                applied: { [weak self] result in self?.event { $0.entriesApplied(result, at: $1) } }))
        event { $0.timerFired(at: $1) }
    }

    /// Leaves the cluster. ``Observer/stopped`` follows. Call it when no push is on its way.
    ///
    /// - Parameter milliseconds: the time after which the node stops even if its entry is not in the log; the other
    ///   nodes then expire it.
    package func leave(withinMilliseconds milliseconds: UInt64) {
        event { $0.leave(deadline: $1.later(byMilliseconds: milliseconds), at: $1) }
    }

    /// Ends all work, and appends nothing to the log. Returns at once. The observer is not called after the current
    /// job, except ``Observer/appended`` and ``Observer/noticed``: an append and a snapshot may just be ending.
    package func close() {
        published.setMayActUntil(nil)
        log.close()
        executor.execute { [self] in
            isEnded = true
            endWaiting()
            timer?.cancel()
        }
    }

    // MARK: Questions

    /// True if a push may begin, or a request be answered, at this moment. It may be read on any thread.
    package var mayAct: Bool { published.mayAct(at: executor.now) }

    /// The state of the node now. It may be read on any thread.
    package var status: Status { published.status(at: executor.now) }

    // MARK: Positions

    /// Waits until the replica contains an entry of the log.
    ///
    /// - Parameter completion: called once, in a job of the executor; false if the replica does not contain the entry
    ///   within the time, or the node may not act.
    package func awaitPosition(
        _ position: LogPosition, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping @Sendable (Bool) -> Void
    ) {
        executor.execute { [self] in
            guard !isEnded else { return completion(false) }
            let now = executor.now
            let number = reads.nextNumber()
            switch node.read(
                number, demanding: .containing(position), deadline: now.later(byMilliseconds: milliseconds), at: now)
            {
            case .answer: completion(true)
            case .refuse: completion(false)
            case .wait: reads.add(completion, as: number)
            }
            carryOut()
        }
    }

    /// Calls the completion of a read that the node has ended.
    func readEnded(_ end: ReadRule.End) { reads.take(end.read)?(end.refusal == nil) }

    // MARK: Events

    /// Brings an event to the node, in a job, and carries out the actions that follow.
    func event(_ body: @escaping @Sendable (inout ClusterNode, Uptime) -> Void) {
        post { node in body(&node.node, node.executor.now) }
    }

    private func post(_ body: @escaping @Sendable (NodeLoop) -> Void) {
        executor.execute { [self] in
            guard !isEnded else { return }
            body(self)
            carryOut()
        }
    }

    /// Begins a batch that the writer has handed over.
    private func begin(_ changes: [UInt8], needing format: UInt16) {
        let now = executor.now
        instructions.append(
            .batchBegan(
                node.begin(
                    changes, needing: format, deadline: now.later(byMilliseconds: timeouts.batchMilliseconds), at: now))
        )
    }

    /// Carries out all actions of the node, and publishes its state.
    func carryOut() {
        while true {
            let actions = node.takeActions()
            if actions.isEmpty { break }
            for action in actions where !isEnded { carryOut(action) }
        }
        // The delivery engine is told before the writer: an answer of the writer must be true for the engine already.
        publish()
        let posted = instructions
        instructions = []
        exchange.post(posted, takesBatch: !isEnded && node.mayBeginBatch, format: node.format)
        setTimer()
    }

    /// Ends the loop: the completions that wait are called, no more actions are carried out, and the node may not act.
    func end() {
        isEnded = true
        published.setMayActUntil(nil)
        endWaiting()
    }

    private func endWaiting() {
        for completion in reads.takeAll() { completion(false) }
        for removal in removals.takeAll() { removal.completion(.failure(.unknown)) }
    }

    /// Records the time at which the log database has answered a renewal.
    func renewalAnswered() { renewalAnsweredAt = executor.now }

    private func publish() {
        published.setMayActUntil(isEnded ? nil : node.mayActUntil)
        published.publish(node, renewalAnsweredAt: renewalAnsweredAt, at: executor.now)
    }

    private func setTimer() {
        guard !isEnded, let due = node.deadline else { return }
        if let timer, timer.at <= due { return }
        timer?.cancel()
        let cancel = executor.schedule(afterMilliseconds: due.milliseconds(since: executor.now)) { [self] in
            timer = nil
            guard !isEnded else { return }
            node.timerFired(at: executor.now)
            carryOut()
        }
        timer = (due, cancel)
    }
}

/// Callers of the loop that wait until the node reports an end. The node knows each wait by a number.
struct WaitingCallers<Caller> {
    private var callers: [UInt64: Caller] = [:]
    private var lastNumber: UInt64 = 0

    /// Returns a number for a wait that may begin.
    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Adds a caller whose wait has begun.
    mutating func add(_ caller: Caller, as number: UInt64) { callers[number] = caller }

    /// Removes and returns the caller whose wait has ended; nil if there is none.
    mutating func take(_ number: UInt64) -> Caller? { callers.removeValue(forKey: number) }

    /// Removes and returns all callers, the first one first.
    mutating func takeAll() -> [Caller] {
        defer { callers = [:] }
        return callers.keys.sorted().compactMap { callers[$0] }
    }
}
