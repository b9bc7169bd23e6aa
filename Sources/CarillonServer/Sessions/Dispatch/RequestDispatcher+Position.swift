import CarillonCore
import CarillonSession
import NIOCore

/// Positions in the log of a cluster (Protocol 6.5).
extension RequestDispatcher {
    /// Tells the client the position of this node. Called before changes are answered and events are sent.
    func reportPosition() {
        guard let node = runner.delivery.node else { return }
        session.reportPosition(node.position)
    }

    /// Reads no further until this node is at the position or a bounded time has passed. After that time, requests that
    /// need the position are refused.
    func awaitPosition(_ position: UInt64) {
        guard let node = runner.delivery.node, node.position < position, !hasEnded, turn.stop() else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        node.awaitPosition(position) { [loop] _ in
            loop.execute {
                bound.value.turn.resume()
                bound.value.waitForTurn()
            }
        }
    }

    /// Refuses a connection to a node that has joined no log: the client asks another one.
    func refuseUnlessJoined() {
        guard let node = runner.delivery.node, session.node == nil else { return }
        // It may have joined since the connection was accepted.
        if let joined = node.helloNode { session.join(joined) } else { session.refuseConnection(.notJoined) }
    }
}
