package import CarillonCore

/// A hash over all entries that a replica has applied: their positions, and what applying them has answered.
///
/// Two replicas with the same hash at the same position have given the same answers, except for a coincidence of 128
/// bits.
package struct RunningHash: Hashable, Sendable {
    /// The position of the last entry.
    package private(set) var position: LogPosition
    /// The hash after it.
    package private(set) var value: UUIDBytes

    /// Makes the hash of a replica: that of an empty one, or what was stored with its position.
    package init(position: LogPosition = 0, value: UUIDBytes = .zero) {
        (self.position, self.value) = (position, value)
    }

    /// An entry was applied.
    ///
    /// - Parameters:
    ///   - position: its position.
    ///   - answers: the bytes of all its answers, in order, in a form that is the same on every node.
    package mutating func applied(at position: LogPosition, answers: ArraySlice<UInt8>) {
        var hash = WordHash(seed: value)
        hash.add(position.number)
        hash.add(answers)
        value = hash.value
        self.position = position
    }
}
