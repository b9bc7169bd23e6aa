public import CarillonCore

/// The functions that a client calls, for metrics, traces and alarms. They never get a secret, a payload or a whole
/// token.
///
/// ```swift
/// configuration.hooks.onCall = { call in
///     if let code = call.code { print(call.operation, "failed:", code, "after", call.attempts, "attempts") }
/// }
/// configuration.hooks.onState = { state in
///     if case .refused(let address, let error) = state { print(address, "refuses this client:", error) }
/// }
/// ```
///
/// The hooks run on the event loop of the client: they must not block.
public struct ClientHooks: Sendable {
    /// Called when a call has ended.
    public var onCall: (@Sendable (CallReport) -> Void)?
    /// Called when an attempt has failed, before the pause that precedes the next attempt.
    public var onRetry: (@Sendable (RetryReport) -> Void)?
    /// Called when the state of a connection changes.
    public var onState: (@Sendable (ConnectionState) -> Void)?

    /// Makes hooks; those that are left out are not called.
    public init(
        onCall: (@Sendable (CallReport) -> Void)? = nil,
        onRetry: (@Sendable (RetryReport) -> Void)? = nil,
        onState: (@Sendable (ConnectionState) -> Void)? = nil
    ) {
        self.onCall = onCall
        self.onRetry = onRetry
        self.onState = onState
    }
}

/// A report that a call has ended.
public struct CallReport: Hashable, Sendable {
    /// The operation: `send`, `lookup`, `ping`.
    public var operation: String
    /// The server of the last attempt; nil if there was none.
    public var address: CarillonClient.Configuration.Address?
    /// The time from the start of the call to its result.
    public var duration: Duration
    /// The number of requests that were written.
    public var attempts: Int
    /// The code of the error; nil if the call succeeded.
    public var code: CarillonError.Code?
    /// The effect of the call; `.executed` if it succeeded.
    public var effect: Effect
}

/// A report that a call waits before its next attempt.
public struct RetryReport: Hashable, Sendable {
    /// The operation: `send`, `lookup`.
    public var operation: String
    /// The number of the attempt that has failed; the first is 1.
    public var attempt: Int
    /// The pause; zero if the call waits only for the next connection.
    public var pause: Duration
    /// The reason why the attempt failed.
    public var error: CarillonError
}

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
    /// A connection that was open has ended, but not by `close` and not after `.draining`.
    case disconnected(CarillonClient.Configuration.Address, CarillonError)
    /// The server has refused this client for good. The client avoids the address for `refusalPause`.
    case refused(CarillonClient.Configuration.Address, CarillonError)
    /// The server has a different history than before. Ids and sequence numbers of the old history no longer mean
    /// anything.
    case newHistory(before: UUIDBytes, now: UUIDBytes)
    /// The client is closed.
    case closed
}
