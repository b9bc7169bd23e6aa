import CarillonCore

/// The removals of other nodes by an operator that wait until no append is under way.
struct RemovalQueue: Sendable {
    /// A member that is to be removed from the cluster.
    struct Removal: Hashable, Sendable {
        /// The caller's number of the removal.
        let number: UInt64
        let member: Member
        /// The latest time at which the caller is told that the end is unknown.
        let deadline: Uptime
    }

    /// The most removals that wait.
    static let maximumCount = 16

    private var removals: [Removal] = []

    var isFull: Bool { removals.count >= Self.maximumCount }

    mutating func append(_ removal: Removal) { removals.append(removal) }

    /// Removes and returns the removal that has waited longest; nil if no removal waits.
    mutating func takeFirst() -> Removal? { removals.isEmpty ? nil : removals.removeFirst() }

    /// Removes and returns all removals, the one that has waited longest first.
    mutating func takeAll() -> [Removal] {
        defer { removals = [] }
        return removals
    }
}
