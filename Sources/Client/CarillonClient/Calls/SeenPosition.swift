import CarillonCore
import Synchronization

/// The greatest position of a cluster's log that a client has seen. Its tasks and its event loop share it.
final class SeenPosition: Sendable {
    private let state = Mutex<ClusterPosition?>(nil)

    /// The position; nil before one was seen.
    var greatest: ClusterPosition? { state.withLock { $0 } }

    /// Keeps a position that is greater than the one seen before, or of another cluster; returns true if it was kept.
    func keepIfNewer(_ position: ClusterPosition) -> Bool {
        state.withLock { seen in
            if let seen, seen.cluster == position.cluster, seen.number >= position.number { return false }
            seen = position
            return true
        }
    }
}
