import CarillonCluster
import CarillonCore

/// A judge that follows the log with a replica of its own, and reports every act of a node that is not allowed.
final class SimulationJudge {
    struct Recipient: Hashable {
        var message: MessageID
        var index: Int
    }

    /// A push that reached APNs.
    struct Push {
        var recipient: Recipient
        var page: UInt32
        var device: UInt32
        var member: Member
        /// The life of the process that sent the push.
        var process: ProcessID
    }

    /// One life of a process.
    struct ProcessID: Hashable, CustomStringConvertible {
        var node: NodeName
        /// The number of this start of the node's process.
        var start: Int

        var description: String { "\(node) (start \(start))" }
    }

    /// An operation of a client.
    struct Operation {
        enum Kind {
            case change(ModelChange)
            case read(cell: UInt32, ReadRule.Demand)
        }

        var kind: Kind
        var began: UInt64
        var ended: UInt64 = .max
        var answer: UInt64?
        var position: LogPosition?
        var wasRefused = false
        /// The greatest position of an answer before the operation began.
        var after: LogPosition
    }

    private(set) var violations: [String] = []
    private(set) var state = ModelState()
    /// The state after some positions.
    private var states: [LogPosition: ModelState] = [:]
    private var hashes: [UUIDBytes] = [UUIDBytes.zero]
    private var answers: [UInt64: (position: LogPosition, answer: UInt64)] = [:]
    /// The values of cells, with the first positions at which they had them.
    private var values: [[(position: LogPosition, value: UInt64)]]
    private(set) var operations: [Operation] = []
    private var refused: Set<UInt64> = []
    /// The greatest position that was answered, over time.
    private var answeredPositions: [(time: UInt64, position: LogPosition)] = [(0, 0)]
    private var lastRegistered: [UInt32: LogPosition] = [:]
    private var unregistered: [UInt32: LogPosition] = [:]
    private var cancelled: Set<MessageID> = []
    /// The messages whose pace was there from their beginning, or is answered.
    private var paced: Set<MessageID> = []
    private var pushes: [Recipient: Push] = [:]
    private var duplicates: [String: Int] = [:]
    private var ended: Set<ProcessID> = []
    /// The most pushes of a node that are not recorded.
    private let maximumUnrecordedPushes: Int
    /// The milliseconds that a read may be old, including the difference of clocks in that time.
    private let maximumStalenessMilliseconds: UInt64
    /// The number of pushes, duplicates included.
    private(set) var pushCount = 0
    /// The number of pushes beyond the first one to a recipient.
    private(set) var duplicateCount = 0
    /// The number of pages that each node has sent.
    private(set) var pagesSent: [NodeName: Int] = [:]
    /// The number of times that each event happened. Every run is to show each of them.
    private(set) var events: [ClusterSimulation.Event: Int] = [:]
    /// True if the cells began with the data of a server without a cluster.
    var hasImportedData = false

    init(maximumUnrecordedPushes: Int, maximumStalenessMilliseconds: UInt64) {
        self.maximumUnrecordedPushes = maximumUnrecordedPushes
        self.maximumStalenessMilliseconds = maximumStalenessMilliseconds
        values = Array(repeating: [(0, 0)], count: Int(ModelState.cellCount))
    }

    func happened(_ event: ClusterSimulation.Event) { events[event, default: 0] += 1 }

    func complain(_ text: String) {
        if violations.count < 20 { violations.append(text) }
    }

    // MARK: The log

    /// Judges another entry of the log.
    func appended(_ entry: LogEntry) {
        let member = entry.id.member
        if entry.content != .joined, !state.members.contains(member) {
            complain("\(entry.id) was appended by a member that is over")
        }
        switch entry.content {
        case .expired: happened(.expired)
        case .left: happened(.left)
        case .joined: if state.members.members.contains(where: { $0.node == member.node }) { happened(.joinedAgain) }
        case .changes: if entry.format > 1 { happened(.wroteNewerFormat) }
        case .initialState: break
        }
        let hadInitialState = state.initialState != nil
        let endedEarly = state.endedEarly
        for (change, answer) in state.apply(entry) {
            if let before = answers[change.number] {
                complain("change \(change.number) is in the log at \(before.position) and in \(entry.id)")
            }
            answers[change.number] = (state.position, answer)
            switch change.action {
            case .swap(let cell, let value): values[Int(cell)].append((state.position, value))
            case .register(let device): lastRegistered[device] = state.position
            case .send(let form): if form.hasPace { paced.insert(MessageID(rawValue: answer)) }
            case .setPace(let message, false): paced.remove(message)
            case .releaseBlock where answer == 1: happened(.released)
            default: break
            }
        }
        if state.endedEarly > endedEarly { complain("\(entry.id) ended a block with a pending recipient") }
        if !hadInitialState, let initialState = state.initialState, initialState.kind == .imported {
            if state.lastMessage > 0 { complain("a change came before the initial state") }
            state.importData()
            happened(.imported)
            for cell in values.indices { values[cell] = [(0, state.cells[cell])] }
        }
        hashes.append(state.hash.value)
        if state.position.number % 16 == 0 {
            states[state.position] = state
            if state.position.number > 1_024 { states[LogPosition(state.position.number - 1_024)] = nil }
        }
    }

    /// Judges the replica of a node that has applied an entry.
    func applied(_ replica: ModelState, by node: NodeName) {
        let number = Int(replica.position.number)
        guard number < hashes.count else { return complain("\(node) has applied \(number), which is not in the log") }
        if hashes[number] != replica.hash.value { complain("\(node) has another hash at \(number)") }
        // Before the initial state the data are those of each disk: the log does not say what its state begins with.
        if let expected = states[replica.position],
            expected.initialState != nil ? expected != replica : expected.members != replica.members
        {
            complain("\(node) has another state at \(number)")
        }
    }

    // MARK: Pushes

    func processEnded(_ process: ProcessID) { ended.insert(process) }

    func pushed(_ push: Push) {
        pushCount += 1
        let act = "\(push.member) pushed \(push.recipient.message) page \(push.page)"
        if !state.members.contains(push.member) {
            complain("\(act) and is over")
        } else {
            let claims = state.claims(to: push.recipient.message)
            let owner = claims?.owner(of: push.page, among: state.members)
            if owner != push.member.incarnation {
                complain("\(act), which \(owner.map { "\($0) has" } ?? "no member has") claimed")
            }
            // A change of the pace binds a node when it has applied it: that it is answered says that all have.
            if paced.contains(push.recipient.message),
                claims?.maySend(push.page, by: push.member.incarnation, among: state.members) != true
            {
                complain("\(act) and is not the sender")
            }
        }
        if let position = unregistered[push.device], lastRegistered[push.device] ?? 0 < position {
            complain("\(act) to device \(push.device) after its unregistration at \(position) was answered")
        }
        if cancelled.contains(push.recipient.message) { complain("\(act) after its cancellation was answered") }
        // A second push is the fault of the earlier life of a process: it ended before its push was recorded.
        if let earlier = pushes[push.recipient] {
            if !ended.contains(earlier.process), state.members.contains(earlier.member) {
                complain("\(act), recipient \(push.recipient.index), as \(earlier.member) had, which still lives")
            }
            let life = "\(earlier.process) \(earlier.member)"
            if earlier.member.node != push.member.node { happened(.tookOver) }
            duplicates[life, default: 0] += 1
            duplicateCount += 1
            if duplicates[life, default: 0] > maximumUnrecordedPushes {
                complain("more than \(maximumUnrecordedPushes) pushes of \(life) came twice")
            }
        }
        pushes[push.recipient] = push
    }

    func pageSent(by node: NodeName) { pagesSent[node, default: 0] += 1 }

    // MARK: Operations

    /// Begins an operation of a client, and returns its index.
    func begin(_ kind: Operation.Kind, at now: UInt64) -> Int {
        operations.append(Operation(kind: kind, began: now, after: answeredPositions.last?.position ?? 0))
        return operations.count - 1
    }

    /// Notes that a change was refused: it has no effect and will have none.
    func refused(_ index: Int) {
        operations[index].wasRefused = true
        if case .change(let change) = operations[index].kind { refused.insert(change.number) }
    }

    /// Judges the answer of an operation.
    func answered(_ index: Int, with answer: UInt64, at position: LogPosition, now: UInt64) {
        operations[index].ended = now
        operations[index].answer = answer
        operations[index].position = position
        switch operations[index].kind {
        case .change(let change): changeAnswered(change, with: answer, at: position, after: operations[index].after)
        case .read(let cell, let demand):
            judgeRead(
                of: cell, demanding: demand, answeredWith: answer, at: position,
                after: operations[index].after, now: now)
        }
        if position > answeredPositions.last?.position ?? 0 { answeredPositions.append((now, position)) }
    }

    private func changeAnswered(
        _ change: ModelChange, with answer: UInt64, at position: LogPosition, after: LogPosition
    ) {
        guard let known = answers[change.number] else {
            return complain("change \(change.number) was answered and is not in the log")
        }
        guard known == (position, answer) else {
            return complain("change \(change.number) was answered as \(answer) at \(position), and is \(known)")
        }
        if position <= after { complain("change \(change.number) is before what was answered before it began") }
        switch change.action {
        case .unregister(let device): unregistered[device] = max(unregistered[device] ?? 0, position)
        case .cancel(let message) where answer == 1: cancelled.insert(message)
        case .setPace(let message, true) where answer == 1: paced.insert(message)
        default: break
        }
    }

    private func judgeRead(
        of cell: UInt32, demanding demand: ReadRule.Demand, answeredWith answer: UInt64, at position: LogPosition,
        after: LogPosition, now: UInt64
    ) {
        let value = values[Int(cell)].last { $0.position <= position }?.value
        if value != answer { complain("a read at \(position) returned \(answer) instead of \(value ?? 0)") }
        let minimum: LogPosition =
            switch demand {
            case .latest: after
            case .containing(let position): position
            case .recent: answeredPositions.last { $0.time + maximumStalenessMilliseconds < now }?.position ?? 0
            }
        if position < minimum { complain("a read of \(demand) saw \(position), and \(minimum) was answered before") }
    }

    /// Judges everything that can be judged at the end only.
    func end() {
        for number in refused.sorted() where answers[number] != nil {
            complain("change \(number) was refused and is in the log")
        }
        for cell in 0..<ModelState.cellCount {
            let history = operations.compactMap { Self.operation($0, of: cell) }
            let first = hasImportedData ? ModelState.imported.cells[Int(cell)] : 0
            if !LinearizabilityChecker.isLinearizable(history, first: first) {
                complain("the history of cell \(cell) is not linearizable")
            }
        }
        // A run that was ended early has work left.
        guard violations.isEmpty else { return }
        for (id, message) in state.messages.sorted(by: { $0.key < $1.key }) {
            if message.outcomes.contains(.pending) || !message.isFinished { complain("message \(id) has not finished") }
        }
    }

    private static func operation(_ operation: Operation, of cell: UInt32) -> LinearizabilityChecker.Operation? {
        switch operation.kind {
        case .change(let change):
            guard case .swap(cell, let value) = change.action, !operation.wasRefused else { return nil }
            return .init(.swap(value, before: operation.answer), began: operation.began, ended: operation.ended)
        case .read(cell, .latest):
            guard let answer = operation.answer else { return nil }
            return .init(.read(answer), began: operation.began, ended: operation.ended)
        case .read: return nil
        }
    }
}
