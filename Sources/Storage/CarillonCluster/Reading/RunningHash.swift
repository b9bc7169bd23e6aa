package import CarillonCore

/// A hash over all entries that a replica has applied: over their positions and the answers to their changes.
///
/// Two replicas with the same hash at the same position have given the same answers, except for a coincidence of 128
/// bits.
package struct RunningHash: Hashable, Sendable {
    /// The position of the last entry.
    package private(set) var position: LogPosition
    /// The hash after that entry.
    package private(set) var value: UUIDBytes

    /// The hash of an empty replica, or one that was stored with its position.
    package init(position: LogPosition = 0, value: UUIDBytes = .zero) {
        self.position = position
        self.value = value
    }

    /// Adds an entry that was applied.
    ///
    /// - Parameters:
    ///   - position: the position of the entry.
    ///   - answers: the bytes of all its answers, in order, in a form that is the same on every node.
    package mutating func entryApplied(at position: LogPosition, answers: ArraySlice<UInt8>) {
        var hash = WordHash(seed: value)
        hash.add(position.number)
        hash.add(answers)
        value = hash.value
        self.position = position
    }
}
