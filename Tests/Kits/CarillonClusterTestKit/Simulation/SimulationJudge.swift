import CarillonCluster
import CarillonCore

/// A judge that sees every act of a node and of a client, and reports those that are not allowed. ``LogJudge`` knows
/// what is in the log; ``PushJudge`` and ``OperationJudge`` compare pushes and answers with it.
final class SimulationJudge {
    private let findings = SimulationFindings()
    private var log: LogJudge
    private var pushJudge: PushJudge
    private var operationJudge: OperationJudge
    /// The number of pages that each node has sent.
    private(set) var pagesSent: [NodeName: Int] = [:]
    /// True if the cells began with the data of a server without a cluster.
    var hasImportedData = false

    init(maximumUnrecordedPushes: Int, maximumStalenessMilliseconds: UInt64) {
        log = LogJudge(findings)
        pushJudge = PushJudge(findings, maximumUnrecordedPushes: maximumUnrecordedPushes)
        operationJudge = OperationJudge(findings, maximumStalenessMilliseconds: maximumStalenessMilliseconds)
    }

    var violations: [String] { findings.violations }
    var events: [ClusterSimulation.Event: Int] { findings.events }
    var state: ModelState { log.state }
    var pushCount: Int { pushJudge.pushCount }
    var duplicateCount: Int { pushJudge.duplicateCount }
    var operations: [OperationJudge.Operation] { operationJudge.operations }

    func happened(_ event: ClusterSimulation.Event) { findings.happened(event) }

    func report(_ text: String) { findings.report(text) }

    // MARK: Nodes

    /// Judges another entry of the log.
    func appended(_ entry: LogEntry) {
        for (change, answer) in log.appended(entry) {
            pushJudge.changeApplied(change, answer: answer, at: log.state.position)
        }
    }

    /// Judges the replica of a node that has applied an entry.
    func applied(_ replica: ModelState, by node: NodeName) { log.applied(replica, by: node) }

    func processEnded(_ process: PushJudge.ProcessID) { pushJudge.processEnded(process) }

    func pushed(_ push: PushJudge.Push) { pushJudge.pushed(push, in: log.state) }

    func pageSent(by node: NodeName) { pagesSent[node, default: 0] += 1 }

    // MARK: Clients

    /// Begins an operation of a client, and returns its index.
    func begin(_ kind: OperationJudge.Operation.Kind, at now: UInt64) -> Int { operationJudge.begin(kind, at: now) }

    func refused(_ index: Int) { operationJudge.refused(index) }

    /// Judges the answer of an operation.
    func answered(_ index: Int, with answer: UInt64, at position: LogPosition, now: UInt64) {
        if let change = operationJudge.answered(index, with: answer, at: position, now: now, log: log) {
            pushJudge.changeAnswered(change, answer: answer, at: position)
        }
    }

    /// Judges everything that can be judged at the end only.
    func end() {
        operationJudge.end(log, beginning: hasImportedData ? .imported : ModelState())
        // A run that was ended early has work left.
        if violations.isEmpty { log.end() }
    }
}

/// The findings of the judges of one run.
final class SimulationFindings {
    private static let maximumViolations = 20

    /// The violations of promises, as sentences.
    private(set) var violations: [String] = []
    /// The number of times that each event happened.
    private(set) var events: [ClusterSimulation.Event: Int] = [:]

    func report(_ text: String) {
        if violations.count < Self.maximumViolations { violations.append(text) }
    }

    func happened(_ event: ClusterSimulation.Event) { events[event, default: 0] += 1 }
}
