public import CarillonCore

/// The new state of a client or of one of its connections, as `ClientHooks.onState` reports it.
public enum ConnectionState: Hashable, Sendable {
    /// An attempt to connect begins.
    case connecting(CarillonClient.Configuration.Address)
    /// A connection has opened: requests may be sent.
    case connected(CarillonClient.Configuration.Address, software: String, epoch: UUIDBytes)
    /// An attempt to connect has failed.
    case failed(CarillonClient.Configuration.Address, CarillonError)
    /// The server accepts no new requests on this connection.
    case draining(CarillonClient.Configuration.Address, reason: String)
    /// A connection that was open has ended, but not by `close` and not after `draining`.
    case disconnected(CarillonClient.Configuration.Address, CarillonError)
    /// The server has refused this client for good; the address rests for `refusalPause`.
    case refused(CarillonClient.Configuration.Address, CarillonError)
    /// The server has another history than before: ids and sequence numbers of the old history mean nothing.
    case newHistory(before: UUIDBytes, now: UUIDBytes)
    /// The client is closed.
    case closed
}
