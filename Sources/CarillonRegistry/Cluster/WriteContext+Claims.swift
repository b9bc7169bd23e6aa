import CarillonCluster
import CarillonCore
import CarillonLMDB

/// The claims of messages. One member at a time sends a whole message; several members send blocks of pages of a shared
/// message.
extension WriteContext {
    /// The member that appends the changes that are being applied, and the members that are live: claims depend on
    /// both.
    struct Claimant {
        /// The incarnation of the member that has appended the entry.
        var member: UInt64
        /// The members that are live at the entry.
        var live: LiveMembers
    }

    /// The rows that one change of claims reads, in memory: ``ClaimRule`` works on them.
    private struct LoadedClaimRows: ClaimTables {
        typealias Failure = Never
        var message: ClaimsRow?
        var silent: [AppID: SilentPushClaim] = [:]

        func claimsRow(of message: MessageID) -> ClaimsRow? { self.message }
        mutating func setClaimsRow(_ row: ClaimsRow?, of message: MessageID) { self.message = row }
        func silentPushClaim(of app: AppID) -> SilentPushClaim? { silent[app] }
        mutating func setSilentPushClaim(_ claim: SilentPushClaim?, of app: AppID) { silent[app] = claim }
    }

    /// Opens the claims of a message that goes into the outbox. The member that has appended the change claims it,
    /// unless it is claimed already, or another member sends the silent pushes of its app.
    func openClaims(
        of message: MessageID, content: MessageContent, in transaction: inout WriteTransaction
    ) throws {
        let silentApp = content.pushType == .background ? content.app : nil
        _ = try apply(.open(message, silentApp: silentApp), to: message, silentApp: silentApp, in: &transaction)
    }

    /// Ends the claims of a message that is finished.
    func closeClaims(of message: MessageID, in transaction: inout WriteTransaction) throws {
        _ = try apply(.close(message), to: message, in: &transaction)
    }

    /// Sets whether a message must have one sender, after it got a pace or lost it. If the pages of the message are
    /// shared, one member sends them from now on.
    func setOneSender(
        _ hasOneSender: Bool, of message: MessageID, in transaction: inout WriteTransaction
    ) throws {
        _ = try apply(.setOneSender(message, hasOneSender), to: message, in: &transaction)
    }

    // MARK: Changes of members

    /// Claims a whole message for the member that has appended the change. A message of the outbox may have no claims,
    /// because the server had no cluster before: it gets them now.
    func claim(_ message: MessageID, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        guard let (record, progress) = try claimable(message, in: &transaction), let claimant,
            try claims(of: message, in: transaction)?.isShared == false
        else { return .claimed(nil) }
        _ = try apply(.claim(message, pages: 1), to: message, in: &transaction)
        guard let claims = try claims(of: message, in: transaction),
            claims.owner(of: 0, among: claimant.live) == claimant.member
        else { return .claimed(nil) }
        return .claimed(OutboundMessage(message, record: record, progress: progress))
    }

    /// Claims pages for the member that has appended the change. The first such change shares the message, if the
    /// member may share it and the message can be shared. Otherwise the member that holds it goes on with the whole
    /// message.
    func claimPages(
        _ pages: UInt32, of message: MessageID, in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard let (record, progress) = try claimable(message, in: &transaction), let claimant,
            var claims = try claims(of: message, in: transaction)
        else { return .pagesClaimed(PageClaim()) }
        let entry = OutboundMessage(message, record: record, progress: progress)
        var answer = PageClaim(outbound: entry)
        if !claims.isShared {
            guard let owner = claims.owner(of: 0, among: claimant.live), owner == claimant.member else {
                return .pagesClaimed(PageClaim())
            }
            guard entry.canBeShared, let share = PageShare(of: record, with: progress), share.hasEnoughPages else {
                return .pagesClaimed(answer)
            }
            let change = ClaimChange.share(message, pages: progress.floor + share.pages, from: progress.floor)
            _ = try apply(change, to: message, in: &transaction)
        }
        if case .claimed(let blocks) = try apply(.claim(message, pages: pages), to: message, in: &transaction) {
            answer.claimed = blocks
        }
        answer.outbound?.share = PageShare(of: record, with: progress)
        claims = try self.claims(of: message, in: transaction) ?? claims
        answer.left = claims.pagesLeft(among: claimant.live)
        return .pagesClaimed(answer)
    }

    /// Ends a block, all of whose recipients have outcomes. The last block finishes a message to a live audience. A
    /// message to a list was finished by its last outcome.
    func endBlock(
        at first: UInt32, of message: MessageID, now: Timestamp, in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        let answer = try apply(.complete(message, blockAt: first), to: message, in: &transaction)
        guard case .completed(isLast: true) = answer else { return .finished(isFinished: false) }
        guard try claims(of: message, in: transaction)?.isShared == true else { return .finished(isFinished: false) }
        let finished = try finishLiveMessage(message, now: now, in: &transaction)
        if case .finished(isFinished: true) = finished { return finished }
        // A recipient is pending after all: the message is claimed anew.
        try closeClaims(of: message, in: &transaction)
        return .finished(isFinished: false)
    }

    /// Gives up the blocks that the member holds.
    func releasePages(of message: MessageID, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        guard let claimant, let claims = try claims(of: message, in: transaction), claims.isShared else {
            return .applied
        }
        for block in claims.blocks(of: claimant.member) {
            _ = try apply(.release(message, blockAt: block.first), to: message, in: &transaction)
        }
        return .applied
    }

    /// Returns a message of the outbox that may be claimed, and opens its claims; nil if it is finished, or not in the
    /// outbox.
    private func claimable(
        _ message: MessageID, in transaction: inout WriteTransaction
    ) throws -> (MessageRecord, MessageProgress)? {
        guard claimant != nil, let progress = try tables.progress.get(message, in: transaction),
            !progress.isFinished, progress.outboxState == .active,
            let record = try tables.messages.get(message, in: transaction)
        else { return nil }
        try openClaims(of: message, content: record.content, in: &transaction)
        return (record, progress)
    }

    // MARK: Rows

    private func claims(
        of message: MessageID, in transaction: borrowing WriteTransaction
    ) throws -> MessageClaims? {
        try tables.claims?.get(message, in: transaction)?.claims
    }

    private func apply(
        _ change: ClaimChange, to message: MessageID, silentApp: AppID? = nil, in transaction: inout WriteTransaction
    ) throws -> ClaimAnswer {
        guard let claimant, let table = tables.claims else { return .refused }
        var rows = LoadedClaimRows()
        rows.message = try table.get(message, in: transaction)
        let app = rows.message?.silentApp ?? silentApp
        if let app { rows.silent[app] = try table.silentPushClaim(of: app, in: transaction) }
        let before = rows
        let answer = ClaimRule.apply(change, by: claimant.member, among: claimant.live, to: &rows)
        if rows.message?.claims != before.message?.claims { try table.put(rows.message, of: message, in: &transaction) }
        if let app, rows.silent[app] != before.silent[app] {
            try table.put(rows.silent[app], of: app, in: &transaction)
        }
        return answer
    }
}
