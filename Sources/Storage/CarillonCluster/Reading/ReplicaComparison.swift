import CarillonCore

/// Compares the hash of this replica with the hashes of the other nodes at the same positions.
package struct ReplicaComparison: Sendable {
    /// The most hashes of this replica that are remembered. A node that is further behind is not compared.
    package static let maximumRemembered = 4_096

    private let member: Member
    /// The hashes after the last entries, in order of their positions, which follow on each other.
    private var history: [RunningHash] = []
    /// The index of the first hash of ``history`` in use.
    private var firstIndex = 0
    /// The first hash of each other node for a position that this replica had not reached.
    private var ahead: [Member: RunningHash] = [:]
    /// The last result for each other node: true if it had the same hash.
    private var results: [Member: Bool] = [:]

    /// Makes the comparison of a member.
    ///
    /// - Parameter member: this node. The hashes that it publishes are not compared.
    package init(member: Member) { self.member = member }

    /// Remembers the hash after an entry that this replica has applied, and compares it with the hashes that others
    /// have published before.
    package mutating func entryApplied(_ hash: RunningHash) {
        if let last = history.last, last.position.next != hash.position {
            history = []
            firstIndex = 0
        }
        history.append(hash)
        if history.count - firstIndex > Self.maximumRemembered { firstIndex += 1 }
        if firstIndex > Self.maximumRemembered {
            history.removeFirst(firstIndex)
            firstIndex = 0
        }
        for (other, published) in ahead where published.position <= hash.position {
            ahead[other] = nil
            compare(published, of: other)
        }
    }

    /// Compares the hashes in a view with those of this replica, and forgets the members that are over.
    package mutating func viewReceived(_ view: ClusterView) {
        let live = Set(view.liveNodes.map(\.member))
        results = results.filter { live.contains($0.key) }
        ahead = ahead.filter { live.contains($0.key) }
        for node in view.liveNodes where node.member != member {
            compare(RunningHash(position: node.progress.applied, value: node.progress.hash), of: node.member)
        }
    }

    private mutating func compare(_ published: RunningHash, of other: Member) {
        guard let last = history.last?.position, published.position <= last else {
            // Only the first hash that is ahead is kept: later ones would replace it each time, and a node that is
            // always ahead would never be compared.
            if ahead[other] == nil { ahead[other] = published }
            return
        }
        let oldest = history[firstIndex].position
        guard published.position >= oldest else { return }
        let index = firstIndex + Int(published.position.distance(from: oldest))
        results[other] = history[index].value == published.value
    }

    /// The other nodes whose last hash differed from this replica's.
    package var differing: [Member] { results.filter { !$0.value }.keys.sorted() }

    /// True if this replica must stop: more replicas differ from it than agree with it, itself counted. At a tie the
    /// side with the oldest member goes on. So one side goes on, and never both.
    package var mustStop: Bool {
        let differing = differing
        guard !differing.isEmpty else { return false }
        let agreeing = [member] + results.filter(\.value).keys
        guard differing.count == agreeing.count else { return differing.count > agreeing.count }
        return (differing.min() ?? member) < (agreeing.min() ?? member)
    }
}
