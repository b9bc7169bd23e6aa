package import CarillonCore

/// The messages whose pages this node may claim, as it has heard of them in the log: what ``ClaimPlanner`` plans for.
///
/// The list may be wrong: a claim of pages that others have gets no pages, and a message that is not in the list is
/// found by a look at the outbox. So the list is bounded, and not stored.
package struct SharedMessages: Sendable {
    /// A message with pages that no live member holds.
    package struct ClaimableMessage: Hashable, Sendable {
        /// Its entry in the outbox.
        package var entry: OutboxEntry
        /// Pages that no live member holds.
        package var left: UInt32

        /// Roughly the pages that have the recipients of one full page.
        package var sparsity: UInt32 { max(1, entry.share?.sparsity ?? 1) }

        /// The number of full pages that the pages amount to, rounded up.
        package func full(_ pages: UInt32) -> UInt32 { pages / sparsity + (pages % sparsity > 0 ? 1 : 0) }
    }

    /// The most messages of other nodes that are remembered. Messages that this node has accepted are always
    /// remembered.
    package static let maximumMessages = 1_024

    private var messages: [MessageID: ClaimableMessage] = [:]

    /// No message.
    package init() {}

    /// The messages, the oldest first.
    package var all: [ClaimableMessage] { messages.values.sorted { $0.entry.id < $1.entry.id } }

    /// True if there is none.
    package var isEmpty: Bool { messages.isEmpty }

    /// A message, if it is known.
    package subscript(id: MessageID) -> ClaimableMessage? { messages[id] }

    /// Sets the number of pages of a message that are left.
    ///
    /// - Parameter isOwn: true if this node must begin with it.
    package mutating func set(_ entry: OutboxEntry, left: UInt32, isOwn: Bool = false) {
        guard left > 0 else { return messages[entry.id] = nil }
        guard isOwn || messages[entry.id] != nil || messages.count < Self.maximumMessages else { return }
        var entry = entry
        entry.share = entry.share ?? messages[entry.id]?.entry.share
        messages[entry.id] = ClaimableMessage(entry: entry, left: left)
    }

    /// A message that is known has another entry: it was cancelled.
    package mutating func update(_ entry: OutboxEntry) {
        guard let known = messages[entry.id] else { return }
        set(entry, left: known.left)
    }

    /// Nothing of a message is to be claimed, as far as is known.
    package mutating func remove(_ message: MessageID) { messages[message] = nil }

    /// The incarnation is over.
    package mutating func removeAll() { messages = [:] }
}
