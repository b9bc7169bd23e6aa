import CarillonCluster
import CarillonCore
import CarillonLMDB

/// Claims of whole messages: each has one page for ``ClaimRule``, so one member at a time sends a message.
extension WriteContext {
    /// Who appends the changes that are being applied, and which members are live: what claims depend on.
    struct Claimant {
        /// The incarnation of the member that has appended the entry.
        var member: UInt64
        /// The members that are live at the entry.
        var live: LiveMembers
    }

    /// The rows that one change of claims looks at.
    private struct Rows: ClaimTables {
        typealias Failure = Never
        var message: (claims: MessageClaims, silentApp: AppID?)?
        var silent: [AppID: SilentClaim] = [:]

        func claims(of message: MessageID) -> (claims: MessageClaims, silentApp: AppID?)? { self.message }
        mutating func set(_ row: (claims: MessageClaims, silentApp: AppID?)?, of message: MessageID) {
            self.message = row
        }
        func silentClaim(of app: AppID) -> SilentClaim? { silent[app] }
        mutating func set(_ claim: SilentClaim?, of app: AppID) { silent[app] = claim }
    }

    /// A message goes into the outbox: the member that has appended the change claims it, unless it is claimed already,
    /// or another member sends the silent pushes of its app.
    func openClaims(
        of message: MessageID, _ content: MessageContent, in transaction: inout WriteTransaction
    ) throws {
        let silentApp = content.pushType == .background ? content.app : nil
        let opened = OpenedMessage(pages: 1, hasPace: false, silentApp: silentApp, isClaimed: true)
        _ = try apply(.open(message, opened), to: message, silentApp, in: &transaction)
    }

    /// A message is finished.
    func closeClaims(of message: MessageID, in transaction: inout WriteTransaction) throws {
        _ = try apply(.close(message), to: message, nil, in: &transaction)
    }

    /// The member that has appended the change asks for a message. A message of the outbox without claims, of a server
    /// that had no cluster, gets some.
    func claim(_ message: MessageID, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        guard let claimant, let progress = try layout.progress.get(message, in: transaction),
            !progress.isFinished, progress.outboxState == .active,
            let record = try layout.messages.get(message, in: transaction)
        else { return .claimed(nil) }
        try openClaims(of: message, record.content, in: &transaction)
        _ = try apply(.claim(message, pages: 1), to: message, nil, in: &transaction)
        guard try owner(of: message, in: transaction) == claimant.member else { return .claimed(nil) }
        return .claimed(OutboxEntry(message, record: record, progress: progress))
    }

    /// The incarnation of the live member that sends a message; nil if none does.
    func owner(
        of message: MessageID, in transaction: borrowing WriteTransaction
    ) throws -> UInt64? {
        guard let claimant else { return nil }
        return try layout.claims?.get(message, in: transaction)?.claims.owner(of: 0, claimant.live)
    }

    private func apply(
        _ change: ClaimChange, to message: MessageID, _ silentApp: AppID?, in transaction: inout WriteTransaction
    ) throws -> ClaimAnswer {
        guard let claimant, let table = layout.claims else { return .refused }
        var rows = Rows()
        rows.message = try table.get(message, in: transaction)
        let app = rows.message?.silentApp ?? silentApp
        if let app { rows.silent[app] = try table.silentClaim(of: app, in: transaction) }
        let before = rows
        let answer = ClaimRule.apply(change, by: claimant.member, claimant.live, to: &rows)
        if rows.message?.claims != before.message?.claims { try table.put(rows.message, of: message, in: &transaction) }
        if let app, rows.silent[app] != before.silent[app] {
            try table.put(rows.silent[app], of: app, in: &transaction)
        }
        return answer
    }
}
