package import CarillonCore

/// The answer to a change of claims.
package enum ClaimAnswer: Hashable, Sendable {
    /// The pages that the member gets by this claim; empty if none were left, or if another member must be the only
    /// sender.
    case claimed([PageBlock])
    /// The block is complete. With `isLast` all pages of the message are complete: it is finished at this position.
    case completed(isLast: Bool)
    /// The change took effect.
    case applied
    /// The message does not exist, or the member does not hold the block. Nothing has changed.
    case refused
}
