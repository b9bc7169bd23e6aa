public import CarillonCore

/// The report of a pause before another attempt.
public struct RetryReport: Hashable, Sendable {
    /// The operation: `send`, `lookup`.
    public var operation: String
    /// The number of the attempt that has failed; the first is 1.
    public var attempt: Int
    /// The pause; zero if the next connection is waited for.
    public var pause: Duration
    /// The reason why the attempt failed.
    public var error: CarillonError
}
