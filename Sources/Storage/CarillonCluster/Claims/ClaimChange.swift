package import CarillonCore

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
    case complete(MessageID, blockAt: UInt32)
    /// The member gives up a block. No push of it is under way.
    case release(MessageID, blockAt: UInt32)
    /// The message has a pace, or has none any more.
    case setOneSender(MessageID, Bool)
    /// The message is removed, finished or not.
    case close(MessageID)
}
