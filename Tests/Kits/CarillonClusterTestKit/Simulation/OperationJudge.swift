import CarillonCluster
import CarillonCore

/// A judge of the operations of clients: whether each answer is that of the log, and no read is too old.
struct OperationJudge {
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

    private let findings: SimulationFindings
    /// The milliseconds that a read may be old, including the difference of clocks in that time.
    private let maximumStalenessMilliseconds: UInt64
    private(set) var operations: [Operation] = []
    /// The numbers of the changes that were refused.
    private var refusedChanges: Set<UInt64> = []
    /// The greatest position that was answered, over time.
    private var answeredPositions: [(time: UInt64, position: LogPosition)] = [(0, 0)]

    init(_ findings: SimulationFindings, maximumStalenessMilliseconds: UInt64) {
        self.findings = findings
        self.maximumStalenessMilliseconds = maximumStalenessMilliseconds
    }

    /// Begins an operation, and returns its index.
    mutating func begin(_ kind: Operation.Kind, at now: UInt64) -> Int {
        operations.append(Operation(kind: kind, began: now, after: answeredPositions.last?.position ?? 0))
        return operations.count - 1
    }

    /// Ends an operation that was refused: a change that is refused has no effect and will have none.
    mutating func refused(_ index: Int) {
        operations[index].wasRefused = true
        if case .change(let change) = operations[index].kind { refusedChanges.insert(change.number) }
    }

    /// Judges the answer of an operation. Returns the change if it was one and its answer is that of the log.
    mutating func answered(
        _ index: Int, with answer: UInt64, at position: LogPosition, now: UInt64, log: LogJudge
    ) -> ModelChange? {
        operations[index].ended = now
        operations[index].answer = answer
        operations[index].position = position
        let operation = operations[index]
        defer { if position > answeredPositions.last?.position ?? 0 { answeredPositions.append((now, position)) } }
        switch operation.kind {
        case .change(let change):
            return isAnswerOfLog(answer, to: change, at: position, after: operation.after, log) ? change : nil
        case .read(let cell, let demand):
            let value = log.value(of: cell, at: position)
            if value != answer {
                findings.report("a read at \(position) returned \(answer) instead of \(value ?? 0)")
            }
            judgeAge(of: position, demanding: demand, after: operation.after, now: now)
            return nil
        }
    }

    private func isAnswerOfLog(
        _ answer: UInt64, to change: ModelChange, at position: LogPosition, after: LogPosition, _ log: LogJudge
    ) -> Bool {
        guard let known = log.answers[change.number] else {
            findings.report("change \(change.number) was answered and is not in the log")
            return false
        }
        guard known == (position, answer) else {
            findings.report("change \(change.number) was answered as \(answer) at \(position), and is \(known)")
            return false
        }
        if position <= after {
            findings.report("change \(change.number) is before what was answered before it began")
        }
        return true
    }

    /// Judges whether the position of a read is one that its demand allows.
    private func judgeAge(
        of position: LogPosition, demanding demand: ReadRule.Demand, after: LogPosition, now: UInt64
    ) {
        let minimum: LogPosition =
            switch demand {
            case .latest: after
            case .containing(let position): position
            case .recent: answeredPositions.last { $0.time + maximumStalenessMilliseconds < now }?.position ?? 0
            }
        if position < minimum {
            findings.report("a read of \(demand) saw \(position), and \(minimum) was answered before")
        }
    }

    /// Judges what can be judged at the end of a run only: the refused changes, and the history of each cell.
    ///
    /// - Parameter beginning: the state before the first entry.
    func end(_ log: LogJudge, beginning: ModelState) {
        for number in refusedChanges.sorted() where log.answers[number] != nil {
            findings.report("change \(number) was refused and is in the log")
        }
        for cell in 0..<ModelState.cellCount {
            let history = operations.compactMap { Self.access($0, to: cell) }
            if !LinearizabilityChecker.isLinearizable(history, first: beginning.cells[Int(cell)]) {
                findings.report("the history of cell \(cell) is not linearizable")
            }
        }
    }

    /// Returns an operation as the checker knows it; nil if it is not one on the cell, or a read that may be old.
    private static func access(_ operation: Operation, to cell: UInt32) -> LinearizabilityChecker.Operation? {
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
