package import CarillonCore

/// The messages whose pages this node may claim, as it has heard of them in the log. ``ClaimPlanner`` plans claims for
/// them.
///
/// The list may be wrong: a claim of pages that others have gets no pages, and a message that is not in the list is
/// found by a look at the outbox. So the list is bounded, and not stored.
package struct SharedMessages: Sendable {
    /// A message with pages that no live member holds.
    ///
    /// Pages of a sparse audience have few recipients each. So the planner counts in full pages: one full page stands
    /// for as many pages of the message as together have about as many recipients.
    package struct Claimable: Hashable, Sendable {
        /// The message's entry in the outbox.
        package var outbound: OutboundMessage
        /// The number of pages that no live member holds, 1 or more.
        package var pagesLeft: UInt32

        private var pagesPerFullPage: UInt32 { max(1, outbound.share?.pagesPerFullPage ?? 1) }

        /// Returns the number of full pages for a number of pages of this message, rounded up.
        package func fullPages(for pages: UInt32) -> UInt32 {
            pages / pagesPerFullPage + (pages % pagesPerFullPage > 0 ? 1 : 0)
        }

        package func pages(for fullPages: UInt32) -> UInt32 {
            let (pages, overflows) = fullPages.multipliedReportingOverflow(by: pagesPerFullPage)
            return overflows ? .max : pages
        }
    }

    /// The most messages of other nodes that are remembered. Messages that this node has accepted are always
    /// remembered.
    package static let maximumMessages = 1_024

    private var messages: [MessageID: Claimable] = [:]

    package init() {}

    /// The messages, the oldest first.
    package var all: [Claimable] { messages.values.sorted { $0.outbound.id < $1.outbound.id } }

    package var isEmpty: Bool { messages.isEmpty }

    package subscript(id: MessageID) -> Claimable? { messages[id] }

    /// Notes the number of pages of a message that are left. Without any the message is forgotten. A message that is
    /// new is not noted if the list is full.
    package mutating func note(_ outbound: OutboundMessage, pagesLeft: UInt32) {
        guard messages[outbound.id] != nil || messages.count < Self.maximumMessages else { return }
        store(outbound, pagesLeft: pagesLeft)
    }

    /// Notes a message that this node must begin with, even if the list is full.
    package mutating func noteOwn(_ outbound: OutboundMessage, pagesLeft: UInt32) {
        store(outbound, pagesLeft: pagesLeft)
    }

    private mutating func store(_ outbound: OutboundMessage, pagesLeft: UInt32) {
        guard pagesLeft > 0 else { return remove(outbound.id) }
        var outbound = outbound
        // Not every change says how sparse the message is.
        outbound.share = outbound.share ?? messages[outbound.id]?.outbound.share
        messages[outbound.id] = Claimable(outbound: outbound, pagesLeft: pagesLeft)
    }

    /// Replaces a message that is in the list, because it was cancelled or resumed.
    package mutating func replace(with outbound: OutboundMessage) {
        guard let known = messages[outbound.id] else { return }
        store(outbound, pagesLeft: known.pagesLeft)
    }

    /// Removes a message, because the node knows of no page of it to claim.
    package mutating func remove(_ message: MessageID) { messages[message] = nil }

    /// Removes all messages, because the incarnation is over.
    package mutating func removeAll() { messages = [:] }
}
