/// The registry and the outbox: everything that must survive, behind calls that name no key and no transaction.
///
/// There is one protocol for each role, so that a consumer asks only for what it uses.
package protocol Registry: ChangeQueue, PointReads, ListingReads, OutboxReads, EventReads, StatisticsReads {
    /// Changes when the history is gone (Protocol 6.1).
    var epoch: UUIDBytes { get }

    /// Removes what retention allows (finished messages, tombstones, idempotency keys), a bounded number of rows a
    /// call. Returns true if there is more. Rows that cannot be read stay, and the others are removed.
    func sweep(now: Timestamp) throws(RegistryError) -> Bool

    /// Writes and answers the changes in the queue, and closes. Later calls fail with `.closed`.
    func close()
}

/// Limits of the registry: of a submission, its pages and reads, and its subscribers.
package enum RegistryLimits {
    /// Changes in one submission.
    package static let changesPerSubmission = 1_000
    /// Recipients of one page: the unit of fan-out, of progress and of outcome.
    package static let recipientsPerPage = 4_096
    /// Events that one read examines, the ones that its filter leaves out included.
    package static let eventsPerRead = 10_000
    /// Messages that one read of a listing examines, the ones that its filter leaves out included.
    package static let messagesPerRead = 4_096
    /// Event subscribers whose positions are kept, of all principals.
    package static let eventSubscribers = 1_000
    /// Event subscribers of one principal whose positions are kept.
    package static let eventSubscribersPerPrincipal = 100
}
