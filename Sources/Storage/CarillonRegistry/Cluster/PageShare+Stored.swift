import CarillonCluster
import CarillonCore
import CarillonLMDB

/// The share of a message's pages that a node sends, as the registry makes and reads it.
extension PageShare {
    /// The minimum number of full pages of a shared message: sharing a smaller one costs more than it saves.
    private static let minimumFullPages: UInt32 = 2

    /// Decides how the pages of a stored message can be shared; nil if the message has no pages to share.
    init?(of record: MessageRecord, with progress: MessageProgress) {
        let count = record.live.map { UInt32(clamping: $0.chunkCount) } ?? progress.pageCount
        guard count > progress.firstPendingPage else { return nil }
        let pages = count - progress.firstPendingPage
        self.init(pages: pages)
        guard record.live != nil, progress.isCounted else { return }
        let recipientsPerPage = UInt64(RegistryLimits.recipientsPerPage)
        let fullPages = max(1, UInt32(clamping: progress.expectedCount / recipientsPerPage))
        pagesPerFullPage = min(max(1, pages / fullPages), MessageClaims.maximumBlockPages)
    }

    /// True if the message has enough pages for several members.
    var hasEnoughPages: Bool { pages / pagesPerFullPage >= Self.minimumFullPages }
}

extension OutboundMessage {
    /// True for a bulk message without a pace that is not a silent push: several members may send it, if it is large
    /// enough.
    var canBeShared: Bool { lane == .bulk && pace == nil && content.pushType != .background }
}

extension Tables {
    /// Returns a message of the outbox as a member sends it: the whole, or the blocks that it holds; nil if it sends
    /// nothing.
    ///
    /// A message that can be shared, and that a member holds as a whole, must be shared first: the member's share has
    /// no blocks yet.
    func addingShare(
        of member: UInt64, to outbound: OutboundMessage, among live: LiveMembers,
        in transaction: borrowing some Transaction & ~Copyable
    ) throws -> OutboundMessage? {
        guard let row = try claims?.get(outbound.id, in: transaction), row.claims.maySendAny(by: member, among: live)
        else {
            return nil
        }
        guard row.claims.isShared || outbound.canBeShared else { return outbound }
        guard let record = try messages.get(outbound.id, in: transaction),
            let progress = try progress.get(outbound.id, in: transaction)
        else { return nil }
        let share = PageShare(of: record, with: progress)
        var result = outbound
        if row.claims.isShared {
            result.share = share ?? PageShare(pages: 0)
            result.share?.blocks = row.claims.blocks(of: member)
        } else if let share, share.hasEnoughPages {
            result.share = share
        }
        return result
    }
}
