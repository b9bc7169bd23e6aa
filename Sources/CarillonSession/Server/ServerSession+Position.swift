import CarillonCore
import CarillonWire

/// Positions in the log of a cluster, with which a client reads its own writes at every node (Protocol 6.5). A server
/// without a cluster neither sends nor heeds them.
extension ServerSession {
    /// Tells the client the position of this server, if the client does not know it yet. Every change whose answer
    /// follows is at or before this position.
    package mutating func reportPosition(_ position: UInt64) {
        guard helloAnswer.node != nil, phase == .open, position > reportedPosition else { return }
        reportedPosition = position
        output.position(position)
    }

    /// Takes a position that the client has seen, maybe at another node.
    mutating func positionReceived(_ position: UInt64) -> Step {
        guard helloAnswer.node != nil, phase == .open, position > requiredPosition else { return .proceed }
        requiredPosition = position
        return position > reportedPosition ? .awaitPosition(position) : .proceed
    }
}
