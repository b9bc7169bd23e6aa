/// A checker that decides whether a history of one cell (in papers: a register) is linearizable, by the algorithm of
/// Wing and Gong with the memory of Lowe: "Testing for linearizability", Concurrency and Computation 29 (2017).
package struct LinearizabilityChecker: Sendable {
    /// An operation on the cell.
    package struct Operation: Hashable, Sendable {
        /// The access of an operation to the cell.
        package enum CellAccess: Hashable, Sendable {
            /// The operation set the value, and returned the one before; nil if no answer came.
            case swap(UInt64, before: UInt64?)
            /// The operation returned the value.
            case read(UInt64)
        }

        package var access: CellAccess
        /// The time at which it was called.
        package var began: UInt64
        /// The time at which it returned; `max` if it never did. It may then take effect at any time after it was
        /// called, or never.
        package var ended: UInt64

        package init(_ access: CellAccess, began: UInt64, ended: UInt64) {
            self.access = access
            self.began = began
            self.ended = ended
        }
    }

    /// A state of the search: the operations that have taken effect, and the value after them.
    private struct SearchState: Hashable {
        /// A bit for each operation, in the order of their calls.
        var done: [UInt64]
        var value: UInt64
    }

    /// The most states of the search that are looked at. Beyond them the history counts as linearizable.
    private static let maximumSteps = 200_000

    /// Returns true if there is an order of the operations, each between its call and its return, in which a cell
    /// gives these answers. Values that are set must differ from each other and from the first one.
    package static func isLinearizable(_ history: [Operation], first: UInt64) -> Bool {
        let operations = relevant(history).sorted { ($0.began, $0.ended) < ($1.began, $1.ended) }
        var visited: Set<SearchState> = []
        var stack = [SearchState(done: Array(repeating: 0, count: operations.count / 64 + 1), value: first)]
        var steps = 0
        while let state = stack.popLast() {
            steps += 1
            guard steps < maximumSteps else { return true }
            // The operations that may be next: those that began before any of the remaining ones returned.
            var isComplete = true
            var limit = UInt64.max
            for (index, operation) in operations.enumerated() where state.done[index / 64] >> (index % 64) & 1 == 0 {
                if operation.ended < .max { isComplete = false }
                limit = min(limit, operation.ended)
            }
            if isComplete { return true }
            for (index, operation) in operations.enumerated() where state.done[index / 64] >> (index % 64) & 1 == 0 {
                guard operation.began <= limit else { break }
                guard let newValue = value(after: operation, state.value) else { continue }
                var next = state
                next.done[index / 64] |= 1 << (index % 64)
                next.value = newValue
                if visited.insert(next).inserted { stack.append(next) }
            }
        }
        return false
    }

    /// Returns the operations without those that have no return and whose value was never seen. Those are as if they
    /// had no effect.
    private static func relevant(_ history: [Operation]) -> [Operation] {
        var seen: Set<UInt64> = []
        for operation in history {
            switch operation.access {
            case .swap(_, let before?): seen.insert(before)
            case .read(let value): seen.insert(value)
            case .swap(_, nil): break
            }
        }
        return history.filter { operation in
            guard case .swap(let value, nil) = operation.access else { return true }
            return seen.contains(value)
        }
    }

    /// Returns the value of the cell after an operation; nil if the answer of the operation would be another.
    private static func value(after operation: Operation, _ value: UInt64) -> UInt64? {
        switch operation.access {
        case .swap(let new, let before): before.map { $0 == value } ?? true ? new : nil
        case .read(let seen): seen == value ? value : nil
        }
    }
}
