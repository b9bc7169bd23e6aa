package import CarillonCore

/// A change of claims that an entry makes. The member is the one that has appended the entry.
package enum ClaimChange: Hashable, Sendable {
    /// A message goes into the outbox: it was accepted, released from its schedule, or resumed without a row. The
    /// member claims it as a whole.
    ///
    /// - Parameter silentApp: the app, if it is a silent push.
    case open(MessageID, silentApp: AppID?)
    /// The member that holds a whole message shares its pages, from `first` on.
    case share(MessageID, pages: UInt32, from: UInt32)
    /// The member asks for this number of pages, and accepts fewer.
    case claim(MessageID, pages: UInt32)
    /// All recipients of a block that the member holds have outcomes.
    case complete(MessageID, blockAt: UInt32)
    /// The member gives up a block. No push of it is under way.
    case release(MessageID, blockAt: UInt32)
    /// The message has a pace, or has none any more.
    case setOneSender(MessageID, Bool)
    /// The message is removed, finished or not.
    case close(MessageID)
}

/// The answer to a change of claims.
package enum ClaimAnswer: Hashable, Sendable {
    /// The pages that the member gets by this claim; empty if none were left, or if another member must be the only
    /// sender.
    case claimed([PageBlock])
    /// The block is complete. With `isLast` all pages of the message are complete: it is finished at this position.
    case completed(isLast: Bool)
    /// The change took effect.
    case applied
    /// The message does not exist, or the member does not hold the block. Nothing has changed.
    case refused
}

/// The tables with claims, as the registry keeps them. A row is nil if the table has none for the key.
package protocol ClaimTables {
    /// The error that reading or writing a table throws.
    associatedtype Failure: Error
    /// Returns the claims of a message, and its app if it is a silent push.
    func claims(of message: MessageID) throws(Failure) -> (claims: MessageClaims, silentApp: AppID?)?
    /// Replaces the claims of a message.
    mutating func set(_ row: (claims: MessageClaims, silentApp: AppID?)?, of message: MessageID) throws(Failure)
    /// Returns the sender of silent pushes of an app.
    func silentPushClaim(of app: AppID) throws(Failure) -> SilentPushClaim?
    /// Replaces the sender of silent pushes of an app.
    mutating func set(_ claim: SilentPushClaim?, of app: AppID) throws(Failure)
}
