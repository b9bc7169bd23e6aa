/// A term of a condition: it says that a device is in a set, or that it is not.
package struct ConditionTerm: Hashable, Sendable, CustomStringConvertible {
    package let set: SetName
    /// True if the term holds for the devices outside of the set.
    package let isNegated: Bool

    /// The canonical form, which is a condition of its own.
    package var description: String {
        guard isNegated else { return set.description }
        if case .attribute(let key, let value) = set { return "\(key) != '\(value)'" }
        return "!\(set.description)"
    }
}

extension Condition {
    /// The terms of the condition, each once, in the order of the text. A term inside of a negation counts as the
    /// opposite term.
    package var terms: [ConditionTerm] {
        var terms: [ConditionTerm] = []
        var known: Set<ConditionTerm> = []
        root.forEachTerm(isNegated: false) { if known.insert($0).inserted { terms.append($0) } }
        return terms
    }
}

extension Condition.Node {
    fileprivate func forEachTerm(isNegated: Bool, _ body: (ConditionTerm) -> Void) {
        switch self {
        case .set(let name): body(ConditionTerm(set: name, isNegated: isNegated))
        case .not(let inner): inner.forEachTerm(isNegated: !isNegated, body)
        case .every(let parts), .any(let parts):
            for part in parts { part.forEachTerm(isNegated: isNegated, body) }
        }
    }
}
