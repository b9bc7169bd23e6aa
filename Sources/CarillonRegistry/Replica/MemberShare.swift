import CarillonCluster
package import CarillonCore
import CarillonLMDB

extension PageShare {
    /// Full pages that a message has at least if it is shared: sharing less costs more than it saves.
    private static let minimumFullPages: UInt32 = 2

    /// How the pages of a stored message can be shared; nil if it has none.
    init?(_ record: MessageRecord, _ progress: MessageProgress) {
        let count = record.live.map { UInt32(clamping: $0.chunks) } ?? progress.pages
        guard count > progress.floor else { return nil }
        let pages = count - progress.floor
        self.init(pages: pages)
        guard record.live != nil, progress.isCounted else { return }
        let size = UInt64(RegistryLimits.recipientsPerPage)
        let full = max(1, UInt32(clamping: progress.expected / size))
        sparsity = min(max(1, pages / full), MessageClaims.maximumBlockPages)
    }

    /// True if there is enough for several members.
    var isWorthIt: Bool { pages / sparsity >= Self.minimumFullPages }
}

extension OutboxEntry {
    /// True for a bulk message without a pace that is not a silent push: several members may send it, if it is large
    /// enough.
    var canBeShared: Bool { lane == .bulk && pace == nil && content.pushType != .background }
}

extension Layout {
    /// A message of the outbox as a member sends it: the whole, or the blocks that it holds; nil if it sends nothing.
    ///
    /// A message that can be shared is to be shared by the member that holds it as a whole: its share has no blocks
    /// yet.
    func part(
        of entry: OutboxEntry, by member: UInt64, _ live: LiveMembers,
        in transaction: borrowing some Transaction & ~Copyable
    ) throws -> OutboxEntry? {
        guard let row = try claims?.get(entry.id, in: transaction), row.claims.maySendAny(by: member, live) else {
            return nil
        }
        var part = entry
        guard row.claims.isShared || entry.canBeShared else { return part }
        guard let record = try messages.get(entry.id, in: transaction),
            let progress = try progress.get(entry.id, in: transaction)
        else { return nil }
        let share = PageShare(record, progress)
        if row.claims.isShared {
            part.share = share ?? PageShare(pages: 0)
            part.share?.blocks = row.claims.held(by: member)
        } else if let share, share.isWorthIt {
            part.share = share
        }
        return part
    }
}

/// A message of the outbox that a node may claim.
package struct FreeMessage: Hashable, Sendable {
    /// The message.
    package var id: MessageID
    /// Its entry, with how it is shared; nil if one member sends it as a whole.
    package var shared: OutboxEntry?
    /// Pages of a shared one that no live member holds.
    package var left: UInt32

    package init(id: MessageID, shared: OutboxEntry? = nil, left: UInt32 = 0) {
        (self.id, self.shared, self.left) = (id, shared, left)
    }
}
