import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import Logging

/// The client's identity: its certificate or key, and later changes of its rights.
extension RequestDispatcher {
    /// Begins the session when the transport handshake is over; a second call is ignored.
    ///
    /// - Parameter certificate: the client's certificate; nil if it has none.
    func transportReady(certificate: ClientIdentity?) {
        guard !session.isTransportReady else { return }
        identity = certificate
        let principal = certificate.flatMap(dependencies.authenticator.principal(for:))
        session.transportReady(principal: principal, at: Clock.uptime())
        refuseUnlessJoined()
    }

    /// Checks the key of an AUTH.
    func authenticate(_ authentication: AuthenticateRequest, id: UInt64) {
        let key = ClientIdentity(key: authentication.key)
        let principal = dependencies.authenticator.principal(for: key)
        if principal == nil {
            dependencies.metrics.keyRefused()
            logger.warning("a key was refused")
        } else {
            identity = key
        }
        session.clientAuthenticated(as: principal, id: id)
    }

    /// Checks whether the client is still known and has the same rights (Protocol 6.4).
    ///
    /// - Returns: true if the session has changed.
    func clientsChanged(_ change: SessionHandler.ClientsChanged) -> Bool {
        guard let identity, let before = session.principal else { return false }
        let principal = dependencies.authenticator.principal(for: identity)
        // Only a new handshake shows whether a certificate is still trusted.
        var mustReconnect = false
        if case .certificate = identity { mustReconnect = change.haveAuthoritiesChanged }
        guard principal != before || mustReconnect else { return false }
        let reason =
            if principal == nil {
                "the client is not known any more"
            } else if mustReconnect {
                "the trusted authorities have changed: the client must connect again"
            } else {
                "the rights of the client have changed"
            }
        logger.notice("\(reason)", metadata: ["principal": "\(before.name)"])
        // The client asks for the events that it may see on its next connection.
        events.removeAll()
        session.principalChanged(
            to: principal, at: Clock.uptime(), reconnectAfterMilliseconds: change.reconnectAfterMilliseconds)
        if let principal {
            waiting.longReads.principalChanged(to: principal)
        } else {
            refuseWaiting()
        }
        return true
    }
}
