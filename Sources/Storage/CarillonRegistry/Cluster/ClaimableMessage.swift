package import CarillonCore

/// A message of the outbox that a node may claim.
package enum ClaimableMessage: Hashable, Sendable {
    /// No live member sends the message, and it is claimed as a whole.
    case whole(MessageID)
    /// Several members send the message, and no live member holds `pagesLeft` of its pages, which are claimed.
    case shared(OutboundMessage, pagesLeft: UInt32)

    /// The message if it is claimed as a whole; nil if its pages are claimed.
    package var wholeMessage: MessageID? { if case .whole(let message) = self { message } else { nil } }
}
