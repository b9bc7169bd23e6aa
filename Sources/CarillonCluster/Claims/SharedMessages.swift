package import CarillonCore

/// The messages whose pages this node may claim, as it has heard of them in the log. ``ClaimPlanner`` plans claims for
/// them.
///
/// The list may be wrong: a claim of pages that others have gets no pages, and a message that is not in the list is
/// found by a look at the outbox. So the list is bounded, and not stored.
package struct SharedMessages: Sendable {
    /// A message with pages that no live member holds.
    package struct ClaimableMessage: Hashable, Sendable {
        /// The message's entry in the outbox.
        package var outboxEntry: OutboxEntry
        /// The number of pages that no live member holds.
        package var left: UInt32

        /// The number of pages of this message that together have about as many recipients as one full page.
        package var sparsity: UInt32 { max(1, outboxEntry.share?.sparsity ?? 1) }

        /// Returns the number of full pages that have as many recipients as `pages` pages of this message, rounded up.
        package func full(_ pages: UInt32) -> UInt32 { pages / sparsity + (pages % sparsity > 0 ? 1 : 0) }
    }

    /// The most messages of other nodes that are remembered. Messages that this node has accepted are always
    /// remembered.
    package static let maximumMessages = 1_024

    private var messages: [MessageID: ClaimableMessage] = [:]

    package init() {}

    /// The messages, the oldest first.
    package var all: [ClaimableMessage] { messages.values.sorted { $0.outboxEntry.id < $1.outboxEntry.id } }

    /// True if the list has no message.
    package var isEmpty: Bool { messages.isEmpty }

    /// Returns a message; nil if it is not in the list.
    package subscript(id: MessageID) -> ClaimableMessage? { messages[id] }

    /// Sets the number of pages of a message that are left.
    ///
    /// - Parameter isOwn: true if this node must begin with the message.
    package mutating func set(_ outboxEntry: OutboxEntry, left: UInt32, isOwn: Bool = false) {
        guard left > 0 else { return messages[outboxEntry.id] = nil }
        guard isOwn || messages[outboxEntry.id] != nil || messages.count < Self.maximumMessages else { return }
        var outboxEntry = outboxEntry
        outboxEntry.share = outboxEntry.share ?? messages[outboxEntry.id]?.outboxEntry.share
        messages[outboxEntry.id] = ClaimableMessage(outboxEntry: outboxEntry, left: left)
    }

    /// Replaces the entry of a message that is in the list, because the message was cancelled.
    package mutating func update(_ outboxEntry: OutboxEntry) {
        guard let known = messages[outboxEntry.id] else { return }
        set(outboxEntry, left: known.left)
    }

    /// Removes a message of which no page is to be claimed, as far as is known.
    package mutating func remove(_ message: MessageID) { messages[message] = nil }

    /// Removes all messages, because the incarnation is over.
    package mutating func removeAll() { messages = [:] }
}
