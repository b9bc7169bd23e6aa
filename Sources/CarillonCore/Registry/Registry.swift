/// The registry and the outbox: all data that must survive, behind calls that name no key and no transaction.
///
/// There is one protocol for each role, so that a consumer asks only for what it uses.
package protocol Registry: ChangeQueue, PointReads, ListingReads, OutboxReads, EventReads, StatisticsReads {
    /// The name of the history, which changes when the history is gone (Protocol 6.1).
    var epoch: UUIDBytes { get }

    /// Removes rows whose retention has ended, such as finished messages, tombstones and idempotency keys: a bounded
    /// number a call. Returns true if more are left. Rows that cannot be read stay, and the others are removed.
    func sweep(now: Timestamp) throws(RegistryError) -> Bool

    /// Writes and answers the changes in the queue, and closes. Later calls fail with `.closed`.
    func close()
}

/// Limits of the registry: of a submission, its pages and reads, and its subscribers.
package enum RegistryLimits {
    /// The most changes in one submission.
    package static let changesPerSubmission = 1_000
    /// The most recipients of one page: the unit of fan-out, of progress and of outcome.
    package static let recipientsPerPage = 4_096
    /// The most events that one read examines, the ones that its filter leaves out included.
    package static let eventsPerRead = 10_000
    /// The most messages that one read of a listing examines, the ones that its filter leaves out included.
    package static let messagesPerRead = 4_096
    /// The most event subscribers whose positions are kept, of all principals.
    package static let eventSubscribers = 1_000
    /// The most event subscribers of one principal whose positions are kept.
    package static let eventSubscribersPerPrincipal = 100
}
