/// A condition compiled for evaluation chunk by chunk: the sets to read, and a stack program over them.
///
/// Every stored set is a subset of `all`, so `a && !b` is a difference that does not read `all`. The program reads
/// `all` only where a complement has no other set to be subtracted from.
package struct ConditionPlan: Sendable {
    /// A step of the program, which works on a stack of chunks.
    enum Step: Equatable, Sendable {
        /// Pushes the chunk of a set.
        case load(Int)
        /// Pops the top and intersects the new top with it.
        case intersect
        /// Pops the top and adds it to the new top.
        case unite
        /// Pops the top and subtracts it from the new top.
        case subtract
        /// Jumps to a later step if the top is empty: a further part of a conjunction cannot add to it.
        case passIfEmpty(Int)
        /// Jumps to a later step if the top is empty, before a part that is subtracted: nothing can be taken from it.
        case passSubtrahendIfEmpty(Int)
    }

    /// The distinct sets to read, in the order of the condition's text; `all` is last, and only if it is needed.
    package let sets: [SetName]

    let steps: [Step]
    /// The greatest depth of the stack, in chunks.
    let stackSize: Int

    package init(_ condition: Condition) {
        var compiler = ConditionCompiler(naming: condition.setNames.filter { $0 != .all })
        compiler.compile(condition.root)
        sets = compiler.sets
        steps = compiler.steps
        stackSize = compiler.stackSize
    }

    /// The one set that the condition consists of, whose count is stored; nil for any other condition.
    package var singleSet: SetName? { steps.count == 1 ? sets[0] : nil }
}

/// Compiles a condition to the program of a plan.
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
        var subtracted: [Condition.Node] = []
        for part in parts where part != .set(.all) {
            if case .not(let inner) = part { subtracted.append(inner) } else { kept.append(part) }
        }
        compile(kept.first ?? .set(.all))
        for part in kept.dropFirst() { compile(part, as: .intersect) { .passIfEmpty($0) } }
        for part in subtracted { compile(part, as: .subtract) { .passSubtrahendIfEmpty($0) } }
    }

    /// Compiles a further part of a conjunction, and the jump past it that `pass` makes.
    private mutating func compile(_ part: Condition.Node, as operation: Step, pass: (Int) -> Step) {
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
