import CarillonCore

/// Recipients by outcome, ascending, none with 0. The total is at most `UInt32.max` pages of recipients.
struct OutcomeCounts: Hashable {
    private(set) var entries: [Entry] = []

    struct Entry: Hashable {
        var outcome: UInt8
        var count: UInt64
    }

    /// All recipients.
    var total: UInt64 { entries.reduce(0) { $0 + $1.count } }

    /// The entries by outcome.
    var byOutcome: [Outcome: UInt64] {
        Dictionary(uniqueKeysWithValues: entries.map { (Outcome(rawValue: $0.outcome), $0.count) })
    }

    /// Recipients with that outcome.
    subscript(outcome: Outcome) -> UInt64 {
        entries.first { $0.outcome == outcome.rawValue }?.count ?? 0
    }

    /// Counts `count` more.
    mutating func add(_ outcome: UInt8, count: UInt64 = 1) {
        let index = entries.firstIndex { $0.outcome >= outcome } ?? entries.count
        if index < entries.count, entries[index].outcome == outcome {
            entries[index].count += count
        } else {
            entries.insert(Entry(outcome: outcome, count: count), at: index)
        }
    }

    /// Counts `count` less; false, and nothing changes, if there are fewer.
    mutating func remove(_ outcome: UInt8, count: UInt64 = 1) -> Bool {
        guard count > 0 else { return true }
        guard let index = entries.firstIndex(where: { $0.outcome == outcome }), entries[index].count >= count else {
            return false
        }
        entries[index].count -= count
        if entries[index].count == 0 { entries.remove(at: index) }
        return true
    }
}
