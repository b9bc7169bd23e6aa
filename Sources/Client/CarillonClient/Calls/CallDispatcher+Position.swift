import CarillonCore
import Synchronization

/// Positions in the log of a cluster (Protocol 6.5): a client that wrote at one node reads its writes at the next.
extension CallDispatcher {
    /// Keeps the position that the server of a connection has reported, and passes it on to the current connection.
    func positionReported(_ number: UInt64, on connection: ClientConnection) {
        guard let cluster = connection.cluster else { return }
        let position = ClusterPosition(cluster: cluster, number: number)
        guard positions.keepIfNewer(position), let current, current !== connection else { return }
        sendPosition(on: current)
    }

    /// Keeps a position that the program has from another client, and passes it on to the current connection.
    func readAfter(_ position: ClusterPosition) {
        if let current, current.hasOpened, current.cluster != position.cluster { return }
        if positions.keepIfNewer(position), let current, current.hasOpened { sendPosition(on: current) }
    }

    /// Lets the server answer later requests on the connection from a state that contains the greatest position seen.
    func sendPosition(on connection: ClientConnection) {
        guard let position = positions.greatest, position.cluster == connection.cluster else { return }
        connection.sendPosition(position.number)
    }

    /// Leaves a node of a cluster that has refused a request because it may be behind, if there is another address.
    func nodeIsBehind(_ connection: ClientConnection, with error: CarillonError) {
        guard addresses.count > 1, current === connection else { return }
        drain(connection, milliseconds: error.retryAfter?.milliseconds ?? 0, reason: error.message)
        submitWaiting()
        connection.drain()
    }
}

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
