/// The advice when to repeat the same request (Protocol 9).
public enum RetryAdvice: Hashable, Sendable {
    /// Never: it will fail again.
    case never
    /// After that many milliseconds; 0 is at once.
    case after(milliseconds: UInt32)
}
