/// The answer to a claim of pages.
package struct PageClaim: Hashable, Sendable {
    /// The message, as it is in the outbox; nil if it is not to be sent, or not to be shared.
    package var outbound: OutboundMessage?
    /// The pages that the member holds from now on.
    package var claimed: [PageBlock]
    /// The number of pages that no live member holds and that have not ended.
    package var pagesLeft: UInt32

    package init(outbound: OutboundMessage? = nil, claimed: [PageBlock] = [], pagesLeft: UInt32 = 0) {
        self.outbound = outbound
        self.claimed = claimed
        self.pagesLeft = pagesLeft
    }
}
