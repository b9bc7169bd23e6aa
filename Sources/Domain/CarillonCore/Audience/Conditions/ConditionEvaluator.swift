/// Runs a plan over the chunks of an audience. Use one for the whole audience: a chunk then allocates nothing.
package struct ConditionEvaluator: Sendable {
    package let plan: ConditionPlan
    private var stack: [ChunkBits]
    private var candidates: [UInt32?]

    /// Makes an evaluator; its memory is as large as the plan's stack.
    package init(_ plan: ConditionPlan) {
        self.plan = plan
        stack = Array(repeating: ChunkBits(), count: plan.stackSize)
        candidates = Array(repeating: nil, count: plan.stackSize)
    }

    /// Returns the first chunk from `chunk` on in which a device can be selected; nil if no such chunk follows.
    ///
    /// `next(set, from)` returns the first chunk, `from` or later, in which the set of that index is not empty. For one
    /// set its `from` only grows, so that a cursor that is already there need not move. It is not called for sets that
    /// are only subtracted. One call of this function calls it at most once a term and chunk.
    package mutating func nextCandidate<Failure: Error>(
        from chunk: UInt32,
        next: (Int, UInt32) throws(Failure) -> UInt32?
    ) throws(Failure) -> UInt32? {
        var chunk = chunk
        // A bound may be too low, for example of a conjunction whose parts do not meet there: search again from the
        // bound.
        while let bound = try lowerBound(from: chunk, next: next) {
            guard bound > chunk else { return bound }
            chunk = bound
        }
        return nil
    }

    /// Evaluates the plan for one chunk; afterwards `result` has the selected devices.
    ///
    /// `load(set, &bits)` stores the chunk of the set of that index in `bits`, which is empty before; for an empty
    /// chunk it does nothing. It is not called for sets that cannot change the result. A set that is named twice may be
    /// loaded twice.
    ///
    /// - Returns: true if any device is selected.
    package mutating func evaluate<Failure: Error>(
        _ load: (Int, inout ChunkBits) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        var top = -1
        var position = 0
        while position < plan.steps.count {
            let step = plan.steps[position]
            position += 1
            switch step {
            case .load(let set):
                top += 1
                stack[top] = ChunkBits()
                try load(set, &stack[top])
            case .intersect:
                top -= 1
                stack[top].formIntersection(stack[top + 1])
            case .unite:
                top -= 1
                stack[top].formUnion(stack[top + 1])
            case .subtract:
                top -= 1
                stack[top].subtract(stack[top + 1])
            case .passIfEmpty(let end), .passSubtrahendIfEmpty(let end):
                if stack[top].isEmpty { position = end }
            }
        }
        return !stack[0].isEmpty
    }

    /// The devices that the last evaluation selected.
    package var result: ChunkBits { stack[0] }

    /// Returns a chunk before which, from `chunk` on, no device is selected. A conjunction has the largest of its
    /// parts' bounds, a disjunction the smallest, and a difference the bound of the minuend.
    private mutating func lowerBound<Failure: Error>(
        from chunk: UInt32,
        next: (Int, UInt32) throws(Failure) -> UInt32?
    ) throws(Failure) -> UInt32? {
        var top = -1
        var position = 0
        while position < plan.steps.count {
            let step = plan.steps[position]
            position += 1
            switch step {
            case .load(let set):
                top += 1
                candidates[top] = try next(set, chunk).map { max($0, chunk) }
            case .intersect:
                top -= 1
                if let left = candidates[top] { candidates[top] = candidates[top + 1].map { max(left, $0) } }
            case .unite:
                top -= 1
                if let right = candidates[top + 1] { candidates[top] = candidates[top].map { min($0, right) } ?? right }
            case .subtract:
                top -= 1
            case .passIfEmpty(let end):
                if candidates[top] == nil { position = end }
            case .passSubtrahendIfEmpty(let end):
                position = end
            }
        }
        return candidates[0]
    }
}
