import CarillonCore

/// The numbers of recipients by outcome, ascending, none with 0. The total is at most `ProgressTable.maximumTotal`: the
/// recipients of `UInt32.max` full pages.
struct OutcomeCounts: Hashable {
    private(set) var elements: [Element] = []

    struct Element: Hashable {
        var outcome: UInt8
        var count: UInt64
    }

    var total: UInt64 { elements.reduce(0) { $0 + $1.count } }

    var byOutcome: [Outcome: UInt64] {
        Dictionary(uniqueKeysWithValues: elements.map { (Outcome(rawValue: $0.outcome), $0.count) })
    }

    subscript(outcome: Outcome) -> UInt64 {
        elements.first { $0.outcome == outcome.rawValue }?.count ?? 0
    }

    mutating func add(_ outcome: UInt8, count: UInt64 = 1) {
        let index = elements.firstIndex { $0.outcome >= outcome } ?? elements.count
        if index < elements.count, elements[index].outcome == outcome {
            elements[index].count += count
        } else {
            elements.insert(Element(outcome: outcome, count: count), at: index)
        }
    }

    /// Counts `count` fewer recipients of an outcome; returns false, without a change, if there are fewer.
    mutating func remove(_ outcome: UInt8, count: UInt64 = 1) -> Bool {
        guard count > 0 else { return true }
        guard let index = elements.firstIndex(where: { $0.outcome == outcome }), elements[index].count >= count else {
            return false
        }
        elements[index].count -= count
        if elements[index].count == 0 { elements.remove(at: index) }
        return true
    }
}
