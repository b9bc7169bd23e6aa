package import CarillonCore

/// Applies changes of claims to a store. The result depends on the store, the change, the member and the live members
/// only, so every replica gets the same result.
package enum ClaimRule {
    /// Applies a change of a member that is live.
    package static func apply<Store: ClaimStore>(
        _ change: ClaimChange, by incarnation: UInt64, among live: LiveMembers, to store: inout Store
    ) throws(Store.Failure) -> ClaimAnswer {
        switch change {
        case .open(let message, let silentPushApp):
            guard try store.claimsRow(of: message) == nil else { return .refused }
            try store.setClaimsRow(ClaimsRow(claims: .ofWholeMessage, silentPushApp: silentPushApp), of: message)
            return try claim(1, of: message, by: incarnation, among: live, in: &store)
        case .share(let message, let pages, let first):
            guard var row = try store.claimsRow(of: message), row.silentPushApp == nil,
                row.claims.share(pages: pages, from: first, by: incarnation, among: live)
            else { return .refused }
            try store.setClaimsRow(row, of: message)
            return .applied
        case .claim(let message, let pages):
            return try claim(pages, of: message, by: incarnation, among: live, in: &store)
        case .endBlock(let message, let first):
            let row = try endHold(of: message, by: incarnation, in: &store) { $0.endBlock(at: first, by: incarnation) }
            return row.map { .blockEnded(isLast: $0.claims.isComplete) } ?? .refused
        case .releaseBlock(let message, let first):
            let row = try endHold(of: message, by: incarnation, in: &store) {
                $0.releaseBlock(at: first, by: incarnation)
            }
            return row == nil ? .refused : .applied
        case .setOneSender(let message, let hasOneSender):
            guard var row = try store.claimsRow(of: message), row.claims.isShared else { return .refused }
            row.claims.setOneSender(hasOneSender, among: live)
            try store.setClaimsRow(row, of: message)
            return .applied
        case .close(let message): return try close(message, in: &store)
        }
    }

    private static func claim<Store: ClaimStore>(
        _ pages: UInt32, of message: MessageID, by incarnation: UInt64, among live: LiveMembers, in store: inout Store
    ) throws(Store.Failure) -> ClaimAnswer {
        guard var row = try store.claimsRow(of: message) else { return .refused }
        let silentClaim = try silentPushClaim(ofAppIn: row, in: store)
        guard SilentPushClaim.mayClaim(silentClaim, by: incarnation, among: live) else { return .claimed([]) }
        let claimed = row.claims.claim(pages, by: incarnation, among: live)
        guard !claimed.isEmpty else { return .claimed([]) }
        try store.setClaimsRow(row, of: message)
        if let app = row.silentPushApp {
            let blocks = UInt32(clamping: claimed.count)
            let next = SilentPushClaim.afterClaim(silentClaim, blocks: blocks, by: incarnation)
            try store.setSilentPushClaim(next, of: app)
        }
        return .claimed(claimed)
    }

    /// Returns the claim to the silent pushes of a message's app; nil if it is no silent push, or if the app has no
    /// sender.
    private static func silentPushClaim<Store: ClaimStore>(
        ofAppIn row: ClaimsRow, in store: Store
    ) throws(Store.Failure) -> SilentPushClaim? {
        guard let app = row.silentPushApp else { return nil }
        return try store.silentPushClaim(of: app)
    }

    /// Ends the hold of a member on a block.
    ///
    /// - Parameter change: changes the claims; returns false without a change if the member does not hold the block.
    /// - Returns: the new row; nil if the row is as it was.
    private static func endHold<Store: ClaimStore>(
        of message: MessageID, by incarnation: UInt64, in store: inout Store, _ change: (inout MessageClaims) -> Bool
    ) throws(Store.Failure) -> ClaimsRow? {
        guard var row = try store.claimsRow(of: message), change(&row.claims) else { return nil }
        try store.setClaimsRow(row, of: message)
        try endBlockOfSilentPushes(of: row.silentPushApp, by: incarnation, in: &store)
        return row
    }

    private static func close<Store: ClaimStore>(
        _ message: MessageID, in store: inout Store
    ) throws(Store.Failure) -> ClaimAnswer {
        guard let row = try store.claimsRow(of: message) else { return .refused }
        try store.setClaimsRow(nil, of: message)
        for owner in row.claims.blocks.compactMap(\.owner) {
            try endBlockOfSilentPushes(of: row.silentPushApp, by: owner, in: &store)
        }
        return .applied
    }

    private static func endBlockOfSilentPushes<Store: ClaimStore>(
        of app: AppID?, by incarnation: UInt64, in store: inout Store
    ) throws(Store.Failure) {
        guard let app, let claim = try store.silentPushClaim(of: app) else { return }
        try store.setSilentPushClaim(SilentPushClaim.afterBlockEnded(claim, by: incarnation), of: app)
    }
}

/// A change of claims that an entry makes. The member is the one that has appended the entry.
package enum ClaimChange: Hashable, Sendable {
    /// A message goes into the outbox: it was accepted, released from its schedule, or resumed without a row. The
    /// member claims it as a whole.
    ///
    /// - Parameter silentPushApp: the app, if it is a silent push.
    case open(MessageID, silentPushApp: AppID?)
    /// The member that holds a whole message shares its pages, from `first` on.
    case share(MessageID, pages: UInt32, from: UInt32)
    /// The member asks for this number of pages, and accepts fewer.
    case claim(MessageID, pages: UInt32)
    /// All recipients of a block that the member holds have outcomes.
    case endBlock(MessageID, blockAt: UInt32)
    /// The member gives up a block, none of whose pushes is in flight.
    case releaseBlock(MessageID, blockAt: UInt32)
    /// The message has a pace from now on, or no longer has one.
    case setOneSender(MessageID, Bool)
    /// The message is removed, finished or not.
    case close(MessageID)
}

/// The answer to a change of claims.
package enum ClaimAnswer: Hashable, Sendable {
    /// The pages that the member gets by this claim; empty if none were left, or if another member must be the only
    /// sender.
    case claimed([PageBlock])
    /// The block has ended. With `isLast` all blocks of the message have ended: it is finished at this position.
    case blockEnded(isLast: Bool)
    case applied
    /// The message does not exist, or the member does not hold the block. Nothing has changed.
    case refused
}

/// The store of claims, which the registry keeps in tables. A row is nil if there is none for the key.
package protocol ClaimStore {
    /// The error that reading or writing a table throws.
    associatedtype Failure: Error
    func claimsRow(of message: MessageID) throws(Failure) -> ClaimsRow?
    mutating func setClaimsRow(_ row: ClaimsRow?, of message: MessageID) throws(Failure)
    func silentPushClaim(of app: AppID) throws(Failure) -> SilentPushClaim?
    mutating func setSilentPushClaim(_ claim: SilentPushClaim?, of app: AppID) throws(Failure)
}

/// The row of the replicated state about the claims of one message.
package struct ClaimsRow: Hashable, Sendable {
    package var claims: MessageClaims
    /// The app of the message if it is a silent push; nil otherwise.
    package var silentPushApp: AppID?

    package init(claims: MessageClaims, silentPushApp: AppID?) {
        self.claims = claims
        self.silentPushApp = silentPushApp
    }
}
