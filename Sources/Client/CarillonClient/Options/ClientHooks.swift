public import CarillonCore

/// The functions that a client calls for metrics, traces and alarms. They get no secret, no payload and no whole token.
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
    /// The hook for the end of a call; it is called once for each call.
    public var onCall: (@Sendable (CallReport) -> Void)?
    /// The hook for a pause before another attempt; it is called before the pause.
    public var onRetry: (@Sendable (RetryReport) -> Void)?
    /// The hook for each change of a connection.
    public var onState: (@Sendable (ConnectionState) -> Void)?

    /// Makes hooks; one that is left out is not called.
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
