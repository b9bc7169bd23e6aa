import CarillonCluster
import CarillonCore
import CarillonLMDB

/// The claims of messages as they are stored, and the member for which changes are applied. Without a shared log there
/// is no such member, and no message is claimed.
///
/// ``ClaimRule`` decides what a change makes of the rows. These claims belong to the writer thread.
final class StoredClaims {
    /// The member whose changes are being applied, and the live members: claims depend on both.
    struct Claimant {
        /// The incarnation of the member that has appended the entry.
        var incarnation: UInt64
        var live: LiveMembers
    }

    private let tables: Tables
    /// The member whose changes are being applied; nil without a shared log.
    private(set) var claimant: Claimant?

    init(tables: Tables) { self.tables = tables }

    /// Begins an entry of a shared log, which a member has appended. Call it before its first change.
    func beginEntry(of claimant: Claimant) { self.claimant = claimant }

    func claims(
        of message: MessageID, in transaction: borrowing WriteTransaction
    ) throws -> MessageClaims? {
        try tables.claims?.get(message, in: transaction)?.claims
    }

    /// Opens the claims of a message that goes into the outbox. The member that has appended the change claims it,
    /// unless it is claimed already, or another member sends the silent pushes of its app.
    func open(
        _ message: MessageID, content: MessageContent, in transaction: inout WriteTransaction
    ) throws {
        let silentPushApp = content.pushType == .background ? content.app : nil
        _ = try apply(
            .open(message, silentPushApp: silentPushApp), to: message, silentPushApp: silentPushApp, in: &transaction)
    }

    /// Ends the claims of a message that is finished.
    func close(_ message: MessageID, in transaction: inout WriteTransaction) throws {
        _ = try apply(.close(message), to: message, in: &transaction)
    }

    /// Sets whether a message must have one sender, after it got a pace or lost it. If the pages of the message are
    /// shared, one member sends them from now on.
    func setOneSender(
        _ hasOneSender: Bool, of message: MessageID, in transaction: inout WriteTransaction
    ) throws {
        _ = try apply(.setOneSender(message, hasOneSender), to: message, in: &transaction)
    }

    /// The rows that one change of claims reads, in memory: ``ClaimRule`` works on them.
    private struct LoadedRows: ClaimStore {
        typealias Failure = Never
        var messageRow: ClaimsRow?
        var silentPushClaims: [AppID: SilentPushClaim] = [:]

        func claimsRow(of message: MessageID) -> ClaimsRow? { messageRow }
        mutating func setClaimsRow(_ row: ClaimsRow?, of message: MessageID) { messageRow = row }
        func silentPushClaim(of app: AppID) -> SilentPushClaim? { silentPushClaims[app] }
        mutating func setSilentPushClaim(_ claim: SilentPushClaim?, of app: AppID) { silentPushClaims[app] = claim }
    }

    /// Applies a change of the claims of a message for the claimant; refused if there is none.
    ///
    /// - Parameter silentPushApp: the app of a message whose claims are opened, if its pushes are silent.
    func apply(
        _ change: ClaimChange, to message: MessageID, silentPushApp: AppID? = nil,
        in transaction: inout WriteTransaction
    ) throws -> ClaimAnswer {
        guard let claimant, let table = tables.claims else { return .refused }
        var rows = LoadedRows()
        rows.messageRow = try table.get(message, in: transaction)
        let app = rows.messageRow?.silentPushApp ?? silentPushApp
        if let app { rows.silentPushClaims[app] = try table.silentPushClaim(of: app, in: transaction) }
        let before = rows
        let answer = ClaimRule.apply(change, by: claimant.incarnation, among: claimant.live, to: &rows)
        if rows.messageRow?.claims != before.messageRow?.claims {
            try table.put(rows.messageRow, of: message, in: &transaction)
        }
        if let app, rows.silentPushClaims[app] != before.silentPushClaims[app] {
            try table.put(rows.silentPushClaims[app], of: app, in: &transaction)
        }
        return answer
    }
}
