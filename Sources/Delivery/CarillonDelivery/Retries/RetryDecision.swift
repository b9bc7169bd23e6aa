/// The decision about a push after an attempt without a final answer.
package enum RetryDecision: Hashable, Sendable {
    /// The push is tried again after some milliseconds.
    case retry(afterMilliseconds: UInt64)
    /// The delivery ends as `gave-up`.
    case giveUp
}
