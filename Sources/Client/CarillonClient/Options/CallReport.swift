public import CarillonCore

/// The report of the end of a call.
public struct CallReport: Hashable, Sendable {
    /// The operation: `send`, `lookup`, `ping`.
    public var operation: String
    /// The server of the last attempt; nil if there was none.
    public var address: CarillonClient.Configuration.Address?
    /// The time from the call to its result.
    public var duration: Duration
    /// The number of requests that were written.
    public var attempts: Int
    /// The code of the error; nil if the call succeeded.
    public var code: CarillonError.Code?
    /// The effect of the call; `executed` if it succeeded.
    public var effect: Effect
}
