/// A condition made ready to be evaluated chunk by chunk: the sets to read, and a program over them.
///
/// Every stored set is a part of `all`, so `a && !b` is a difference and reads `all` no more than `a` does. `all` is read only
/// where a complement has nothing else to be taken from.
package struct ConditionPlan: Sendable {
    /// A step of the program, which works on a stack of chunks.
    enum Step: Equatable, Sendable {
        /// Puts the chunk of a set on the stack.
        case load(Int)
        /// Takes the topmost off and keeps of the one below what is in both.
        case intersect
        /// Takes the topmost off and adds it to the one below.
        case unite
        /// Takes the topmost off and out of the one below.
        case subtract
        /// If the topmost is empty, goes on at a later step: a further part of a conjunction adds nothing to it.
        case passIfEmpty(Int)
        /// The same before a part that is taken out.
        case passSubtrahendIfEmpty(Int)
    }

    /// The distinct sets to be read, in the order of the condition's text; `all` stands last, and only if it is needed.
    package let sets: [SetName]

    let steps: [Step]
    /// The most chunks that stand on the stack at once.
    let stackSize: Int

    /// Plans `condition`.
    package init(_ condition: Condition) {
        var compiler = ConditionCompiler(naming: condition.setNames.filter { $0 != .all })
        compiler.compile(condition.root)
        sets = compiler.sets
        steps = compiler.steps
        stackSize = compiler.stackSize
    }

    /// The set that the condition is, if it is one plain set: its count is stored.
    package var singleSet: SetName? { steps.count == 1 ? sets[0] : nil }
}

/// Writes the program of a plan.
private struct ConditionCompiler {
    typealias Step = ConditionPlan.Step

    private(set) var sets: [SetName]
    private(set) var steps: [Step] = []
    private(set) var stackSize = 0
    private var stackTop = 0
    private var indices: [SetName: Int]

    init(naming sets: [SetName]) {
        self.sets = sets
        indices = Dictionary(uniqueKeysWithValues: sets.enumerated().map { ($1, $0) })
    }

    mutating func compile(_ node: Condition.Node) {
        switch node {
        case .set(let name):
            load(name)
        case .not:
            compile(conjunction: [node])
        case .every(let parts):
            compile(conjunction: parts)
        case .any(let parts):
            for (index, part) in parts.enumerated() {
                compile(part)
                if index > 0 { combine(.unite) }
            }
        }
    }

    private mutating func compile(conjunction parts: [Condition.Node]) {
        var kept: [Condition.Node] = []
        var takenOut: [Condition.Node] = []
        for part in parts where part != .set(.all) {
            if case .not(let inner) = part { takenOut.append(inner) } else { kept.append(part) }
        }
        compile(kept.first ?? .set(.all))
        for part in kept.dropFirst() { compile(part, .intersect) { .passIfEmpty($0) } }
        for part in takenOut { compile(part, .subtract) { .passSubtrahendIfEmpty($0) } }
    }

    /// Compiles a further part of a conjunction and the step that `pass` makes to go past it.
    private mutating func compile(_ part: Condition.Node, _ operation: Step, pass: (Int) -> Step) {
        let start = steps.count
        steps.append(pass(start))
        compile(part)
        combine(operation)
        steps[start] = pass(steps.count)
    }

    private mutating func load(_ name: SetName) {
        let index = indices[name, default: sets.count]
        if index == sets.count {
            sets.append(name)
            indices[name] = index
        }
        steps.append(.load(index))
        stackTop += 1
        stackSize = max(stackSize, stackTop)
    }

    private mutating func combine(_ step: Step) {
        steps.append(step)
        stackTop -= 1
    }
}

/// Runs a plan over the chunks of an audience. Make one for an audience and keep it: nothing is allocated for a chunk.
package struct ConditionEvaluator: Sendable {
    /// What is run.
    package let plan: ConditionPlan
    private var stack: [ChunkBits]
    private var candidates: [UInt32?]

    /// Makes an evaluator.
    package init(_ plan: ConditionPlan) {
        self.plan = plan
        stack = Array(repeating: ChunkBits(), count: plan.stackSize)
        candidates = Array(repeating: nil, count: plan.stackSize)
    }

    /// The first chunk from `chunk` on in which a device can be selected, or nil if there is none.
    ///
    /// `next(set, from)` says in which chunk, `from` or later, the set of that index is next not empty. It is asked about the
    /// same set again and again with growing `from`; a cursor that already stands there need not move. Sets that are only
    /// taken out are not asked about. One call asks at most once a term and chunk.
    package mutating func nextCandidate<Failure: Error>(
        from chunk: UInt32,
        next: (Int, UInt32) throws(Failure) -> UInt32?
    ) throws(Failure) -> UInt32? {
        var chunk = chunk
        // A bound may be too low, as that of a conjunction whose parts do not meet there: look again from the bound on.
        while let bound = try lowerBound(from: chunk, next: next) {
            guard bound > chunk else { return bound }
            chunk = bound
        }
        return nil
    }

    /// The devices selected in one chunk; they are in `result` afterwards.
    ///
    /// `load(set, &bits)` puts the chunk of the set of that index into `bits`, which is empty before; of an empty one it does
    /// nothing. Sets that cannot change the result are not asked for; one that stands twice may be asked for twice.
    ///
    /// - Returns: Whether any device is selected.
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

    /// A chunk before which, from `chunk` on, nothing is selected: of a conjunction the largest of its parts' bounds, of a
    /// disjunction the smallest, of a difference that of what is taken from.
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
