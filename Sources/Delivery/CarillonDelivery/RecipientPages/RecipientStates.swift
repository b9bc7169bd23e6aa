import CarillonCore

/// The state of each tracked recipient of a page, and the number of recipients in each state.
struct RecipientStates {
    enum State: UInt8 {
        /// The recipient has no state: it was not scheduled yet, or is kept on disk.
        case untracked
        /// The recipient waits for a free stream.
        case ready
        /// The delivery was handed to a connection.
        case inFlight
        /// The recipient waits for the time of its next attempt.
        case delayed
        /// The device has changed since the page was read: the recipient waits for the page to be read again.
        case deviceChanged
        case ended

        /// True if the recipient has work left in memory.
        var isUnfinished: Bool { self != .untracked && self != .ended }
    }

    private struct Entry {
        let position: UInt16
        /// The index in the recipients of the page; `noIndex` if it is not among them.
        var index: UInt16
        var state = State.untracked
        var attempts: UInt8

        static let noIndex = UInt16.max
    }

    /// The entries, ascending by position. Some entries of recipients that have ended are removed.
    private var entries: [Entry]

    /// The number of recipients that have work left in memory.
    private(set) var unfinishedCount = 0
    /// The number of recipients that wait for the answer of the provider.
    private(set) var inFlightCount = 0
    /// The number of recipients that wait for the page to be read again.
    private(set) var changedCount = 0
    /// The number of recipients that wait for the time of their next attempt.
    private(set) var delayedCount = 0

    /// Makes an entry for each recipient of a page; they must be ascending by position.
    init(_ recipients: [RecipientPage.Recipient]) {
        entries = recipients.enumerated().map { index, recipient in
            Entry(position: recipient.position, index: UInt16(truncatingIfNeeded: index), attempts: recipient.attempts)
        }
    }

    /// The number of tracked recipients.
    var count: Int { entries.count }

    /// Returns the state of the recipient at a position; `untracked` if it has no entry.
    subscript(position: UInt16) -> State { entryIndex(of: position).map { entries[$0].state } ?? .untracked }

    /// Returns the index, in the recipients of the page, of the recipient at a position; nil if it is not among them.
    func recipientIndex(of position: UInt16) -> Int? {
        guard let found = entryIndex(of: position), entries[found].index != Entry.noIndex else { return nil }
        return Int(entries[found].index)
    }

    /// The indices of all tracked recipients in the recipients of the page, ascending.
    var recipientIndices: [Int] { entries.filter { $0.index != Entry.noIndex }.map { Int($0.index) } }

    /// Returns the positions of the recipients in any of these states, ascending.
    func positions(in states: State...) -> [UInt16] {
        entries.filter { states.contains($0.state) }.map(\.position)
    }

    /// Returns the number of attempts that were counted; nil if the recipient is not tracked.
    func attempts(at position: UInt16) -> UInt8? {
        entryIndex(of: position).map { entries[$0].attempts }
    }

    /// Counts an attempt, and returns the number of attempts; 255 if the recipient is not tracked.
    mutating func countAttempt(at position: UInt16) -> UInt8 {
        guard let index = entryIndex(of: position) else { return .max }
        if entries[index].attempts < .max { entries[index].attempts += 1 }
        return entries[index].attempts
    }

    /// Gives a recipient another state, if it is tracked.
    mutating func move(_ position: UInt16, to new: State) {
        guard let index = entryIndex(of: position) else { return }
        let old = entries[index].state
        entries[index].state = new
        unfinishedCount += (new.isUnfinished ? 1 : 0) - (old.isUnfinished ? 1 : 0)
        inFlightCount += (new == .inFlight ? 1 : 0) - (old == .inFlight ? 1 : 0)
        changedCount += (new == .deviceChanged ? 1 : 0) - (old == .deviceChanged ? 1 : 0)
        delayedCount += (new == .delayed ? 1 : 0) - (old == .delayed ? 1 : 0)
    }

    /// Removes the entries of recipients that have ended, or that are no longer tracked.
    mutating func removeUntrackedAndEnded() { entries.removeAll { !$0.state.isUnfinished } }

    /// Finds the index of each tracked recipient again, after the recipients of the page were read again or cut.
    mutating func findIndices(in recipients: [RecipientPage.Recipient]) {
        var index = 0
        for entry in entries.indices {
            let position = entries[entry].position
            while index < recipients.count, recipients[index].position < position { index += 1 }
            let isFound = index < recipients.count && recipients[index].position == position
            entries[entry].index = isFound ? UInt16(truncatingIfNeeded: index) : Entry.noIndex
        }
    }

    private func entryIndex(of position: UInt16) -> Int? {
        // Most pages have all of their positions.
        if Int(position) < entries.count, entries[Int(position)].position == position { return Int(position) }
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].position < position { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].position == position ? low : nil
    }
}
