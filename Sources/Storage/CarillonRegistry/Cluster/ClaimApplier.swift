import CarillonCluster
import CarillonCore
import CarillonLMDB

/// Applies the changes that members make of claims. One member at a time sends a whole message; several members send
/// blocks of pages of a shared message.
final class ClaimApplier {
    private let tables: Tables
    private let storedClaims: StoredClaims
    private let outbox: OutboxWriter

    init(_ context: WriteContext) {
        tables = context.tables
        storedClaims = context.storedClaims
        outbox = context.outbox
    }

    /// Claims a whole message for the member that has appended the change. A message of the outbox may have no claims,
    /// because the server had no cluster before: it gets them now.
    func claim(_ message: MessageID, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        guard let (record, progress) = try openClaims(of: message, in: &transaction),
            let claimant = storedClaims.claimant,
            try storedClaims.claims(of: message, in: transaction)?.isShared == false
        else { return .claimed(nil) }
        _ = try storedClaims.apply(.claim(message, pages: 1), to: message, in: &transaction)
        guard let claims = try storedClaims.claims(of: message, in: transaction),
            claims.owner(of: 0, among: claimant.live) == claimant.incarnation
        else { return .claimed(nil) }
        return .claimed(OutboundMessage(message, record: record, progress: progress))
    }

    /// Claims pages for the member that has appended the change. The first such change shares the message, if the
    /// member may share it and the message can be shared. Otherwise no pages are claimed, and the member that holds the
    /// message goes on with all of it.
    func claimPages(
        _ pages: UInt32, of message: MessageID, in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard let (record, progress) = try openClaims(of: message, in: &transaction),
            let claimant = storedClaims.claimant,
            var claims = try storedClaims.claims(of: message, in: transaction)
        else { return .pagesClaimed(PageClaim()) }
        let outbound = OutboundMessage(message, record: record, progress: progress)
        var answer = PageClaim(outbound: outbound)
        if !claims.isShared {
            guard let owner = claims.owner(of: 0, among: claimant.live), owner == claimant.incarnation else {
                return .pagesClaimed(PageClaim())
            }
            guard outbound.canBeShared, let share = PageShare(of: record, with: progress), share.hasEnoughPages else {
                return .pagesClaimed(answer)
            }
            let change = ClaimChange.share(
                message, pages: progress.firstPendingPage + share.pages, from: progress.firstPendingPage)
            _ = try storedClaims.apply(change, to: message, in: &transaction)
        }
        if case .claimed(let blocks) = try storedClaims.apply(
            .claim(message, pages: pages), to: message, in: &transaction)
        {
            answer.claimed = blocks
        }
        answer.outbound?.share = PageShare(of: record, with: progress)
        claims = try storedClaims.claims(of: message, in: transaction) ?? claims
        answer.pagesLeft = claims.pagesLeft(among: claimant.live)
        return .pagesClaimed(answer)
    }

    /// Ends a block, all of whose recipients have outcomes. The last block finishes a message to a live audience. A
    /// message to a list was finished by its last outcome.
    func endBlock(
        at first: UInt32, of message: MessageID, now: Timestamp, in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        let answer = try storedClaims.apply(.endBlock(message, blockAt: first), to: message, in: &transaction)
        guard case .blockEnded(isLast: true) = answer else { return .messageChecked(isFinished: false) }
        guard try storedClaims.claims(of: message, in: transaction)?.isShared == true else {
            return .messageChecked(isFinished: false)
        }
        let finished = try outbox.finishLiveMessageIfDone(message, now: now, in: &transaction)
        if case .messageChecked(isFinished: true) = finished { return finished }
        // A recipient is pending after all: the message is claimed anew.
        try storedClaims.close(message, in: &transaction)
        return .messageChecked(isFinished: false)
    }

    /// Gives up the blocks that the member holds.
    func releaseBlocks(of message: MessageID, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        guard let claimant = storedClaims.claimant, let claims = try storedClaims.claims(of: message, in: transaction),
            claims.isShared
        else {
            return .applied
        }
        for block in claims.blocks(of: claimant.incarnation) {
            _ = try storedClaims.apply(.releaseBlock(message, blockAt: block.first), to: message, in: &transaction)
        }
        return .applied
    }

    /// Opens the claims of a message of the outbox, and returns the message; nil if the message is finished, or not in
    /// the outbox.
    private func openClaims(
        of message: MessageID, in transaction: inout WriteTransaction
    ) throws -> (MessageRecord, MessageProgress)? {
        guard storedClaims.claimant != nil, let progress = try tables.progress.get(message, in: transaction),
            !progress.isFinished, progress.hold == .none,
            let record = try tables.messages.get(message, in: transaction)
        else { return nil }
        try storedClaims.open(message, content: record.content, in: &transaction)
        return (record, progress)
    }
}
