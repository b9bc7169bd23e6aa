public import CarillonCore

/// What a client calls for metrics, traces and alarms. None has a secret, a payload or a whole token.
///
/// The hooks run on the event loop of the client: they must not block.
public struct ClientHooks: Sendable {
    /// Called once at the end of each call.
    public var onCall: (@Sendable (CallReport) -> Void)?
    /// Called before each pause before another attempt.
    public var onRetry: (@Sendable (RetryReport) -> Void)?
    /// Called at each change of a connection.
    public var onState: (@Sendable (ConnectionState) -> Void)?

    /// What is left out is not called.
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

/// The end of a call.
public struct CallReport: Hashable, Sendable {
    /// The operation: `send`, `lookup`, `ping`.
    public var operation: String
    /// The server of the last attempt; nil if there was none.
    public var address: CarillonClient.Configuration.Address?
    /// The time from the call to its result.
    public var duration: Duration
    /// How many requests were written.
    public var attempts: Int
    /// The code of the error; nil if the call succeeded.
    public var code: CarillonError.Code?
    /// Whether the call took effect; `executed` if it succeeded.
    public var effect: Effect
}

/// A pause before another attempt.
public struct RetryReport: Hashable, Sendable {
    /// The operation: `send`, `lookup`.
    public var operation: String
    /// The number of the attempt that has failed; the first is 1.
    public var attempt: Int
    /// The pause; zero if the next connection is waited for.
    public var pause: Duration
    /// Why the attempt failed.
    public var error: CarillonError
}
