/// The user events that the listener sends to the channels of its sessions.
extension SessionHandler {
    /// The server stops: the session drains.
    struct BeginDraining: Sendable {
        /// The milliseconds that the client should wait before it connects again.
        var reconnectAfterMilliseconds: UInt32
    }

    /// The connection is half-open, and gives way to a new one.
    struct ConnectionDisplaced: Sendable {
        /// The limit that the new connection would pass.
        var limit: ConnectionLimit
    }

    /// The known clients, or their rights, have changed.
    struct ClientsChanged: Sendable {
        /// True if the trusted authorities of client certificates have changed.
        var haveAuthoritiesChanged: Bool
        /// The milliseconds that a client should wait if it has to connect again.
        var reconnectAfterMilliseconds: UInt32
    }
}
