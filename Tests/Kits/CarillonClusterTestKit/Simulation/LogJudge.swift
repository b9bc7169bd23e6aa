import CarillonCluster
import CarillonCore

/// A judge that follows the log with a replica of its own, and compares the replicas of the nodes with it.
struct LogJudge {
    private let findings: SimulationFindings
    private(set) var state = ModelState()
    /// The state after some of the last positions.
    private var recentStates: [LogPosition: ModelState] = [:]
    /// The hash of the state after each position.
    private var hashes: [UUIDBytes] = [UUIDBytes.zero]
    /// The answers to the changes in the log, by the numbers of the changes.
    private(set) var answers: [UInt64: (position: LogPosition, answer: UInt64)] = [:]
    /// The values of each cell, with the first positions at which it had them.
    private var cellHistories: [[(position: LogPosition, value: UInt64)]]

    init(_ findings: SimulationFindings) {
        self.findings = findings
        cellHistories = Array(repeating: [(0, 0)], count: Int(ModelState.cellCount))
    }

    /// Returns the value that a cell had at a position.
    func value(of cell: UInt32, at position: LogPosition) -> UInt64? {
        cellHistories[Int(cell)].last { $0.position <= position }?.value
    }

    /// Judges another entry of the log, and returns the answers to its changes.
    mutating func appended(_ entry: LogEntry) -> [(change: ModelChange, answer: UInt64)] {
        judgeMember(of: entry)
        let hadInitialState = state.initialState != nil
        let endedEarly = state.endedEarly
        let applied = state.apply(entry)
        for (change, answer) in applied { changeApplied(change, answer: answer, in: entry) }
        if state.endedEarly > endedEarly { findings.report("\(entry.id) ended a block with a pending recipient") }
        if !hadInitialState, state.initialState?.kind == .imported { importData() }
        hashes.append(state.hash.value)
        if state.position.number % 16 == 0 {
            recentStates[state.position] = state
            if state.position.number > 1_024 { recentStates[LogPosition(state.position.number - 1_024)] = nil }
        }
        return applied
    }

    private func judgeMember(of entry: LogEntry) {
        let member = entry.id.member
        if entry.content != .joined, !state.members.contains(member) {
            findings.report("\(entry.id) was appended by a member that is over")
        }
        switch entry.content {
        case .expired: findings.happened(.expired)
        case .left: findings.happened(.left)
        case .joined:
            if state.members.members.contains(where: { $0.node == member.node }) { findings.happened(.joinedAgain) }
        case .changes: if entry.format > 1 { findings.happened(.wroteNewerFormat) }
        case .initialState: break
        }
    }

    private mutating func changeApplied(_ change: ModelChange, answer: UInt64, in entry: LogEntry) {
        if let before = answers[change.number] {
            findings.report("change \(change.number) is in the log at \(before.position) and in \(entry.id)")
        }
        answers[change.number] = (state.position, answer)
        switch change.action {
        case .swap(let cell, let value): cellHistories[Int(cell)].append((state.position, value))
        case .releaseBlock where answer == 1: findings.happened(.released)
        default: break
        }
    }

    private mutating func importData() {
        if state.lastMessage > 0 { findings.report("a change came before the initial state") }
        state.importData()
        findings.happened(.imported)
        for cell in cellHistories.indices { cellHistories[cell] = [(0, state.cells[cell])] }
    }

    /// Judges the replica of a node that has applied an entry.
    func applied(_ replica: ModelState, by node: NodeName) {
        let number = Int(replica.position.number)
        guard number < hashes.count else {
            return findings.report("\(node) has applied \(number), which is not in the log")
        }
        if hashes[number] != replica.hash.value { findings.report("\(node) has another hash at \(number)") }
        // Before the initial state the data are those of each disk: the log does not say what its state begins with.
        if let expected = recentStates[replica.position],
            expected.initialState != nil ? expected != replica : expected.members != replica.members
        {
            findings.report("\(node) has another state at \(number)")
        }
    }

    /// Judges the messages at the end of a run: all have finished.
    func end() {
        for (id, message) in state.messages.sorted(by: { $0.key < $1.key }) {
            if message.outcomes.contains(.pending) || !message.isFinished {
                findings.report("message \(id) has not finished")
            }
        }
    }
}
