/// The advice whether and when to repeat the same request (Protocol 15).
public enum RetryAdvice: Hashable, Sendable {
    /// The request must not be sent again, because it will fail again.
    case never
    /// The request may be sent again after this many milliseconds; 0 means at once.
    case after(milliseconds: UInt32)
}
