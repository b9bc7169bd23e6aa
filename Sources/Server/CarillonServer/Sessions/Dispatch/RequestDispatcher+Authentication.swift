import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import Logging

/// Identifies the client of the session, and handles later changes of its rights.
extension RequestDispatcher {
    /// Begins the session when the transport handshake is over; a second call is ignored.
    ///
    /// - Parameter identity: the identity that the client's certificate gives; nil if it has none.
    func transportReady(identity: ClientIdentity?) {
        guard !session.isTransportReady else { return }
        session.transportReady(principal: authentication.certificateShown(identity), at: Clock.uptime())
        refuseUnlessJoined()
    }

    /// Checks the key of an AUTH.
    func authenticate(_ request: AuthenticateRequest, id: UInt64) {
        let principal = authentication.keyShown(request.key)
        if principal == nil {
            dependencies.metrics.keyRefused()
            logger.warning("a key was refused")
        }
        session.clientAuthenticated(as: principal, id: id)
    }

    /// Checks whether the client is still known and has the same rights (Protocol 6.4).
    ///
    /// - Returns: true if the session has changed.
    func clientsChanged(_ clients: SessionHandler.ClientsChanged) -> Bool {
        guard let before = session.principal, let change = authentication.rightsChange(from: before, clients) else {
            return false
        }
        logger.notice("\(change.reason)", metadata: ["principal": "\(before.name)"])
        // The client asks for the events that it may see on its next connection.
        events.removeAll()
        session.principalChanged(
            to: change.principal, at: Clock.uptime(), reconnectAfterMilliseconds: clients.reconnectAfterMilliseconds)
        if let principal = change.principal {
            waiting.longReads.principalChanged(to: principal)
        } else {
            refuseWaiting()
        }
        return true
    }
}
