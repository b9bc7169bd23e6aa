/// The registry and the outbox: all data that must survive, behind calls that name no key and no transaction.
///
/// There is one protocol for each role, so that a consumer asks only for what it uses.
package protocol Registry: ChangeQueue, PointReads, ListingReads, OutboxReads, EventReads, StatisticsReads {
    /// The name of the history, which changes when the history is gone (Protocol 6.1).
    var epoch: UUIDBytes { get }

    /// Removes rows whose retention has ended, such as finished messages, tombstones and idempotency keys: a bounded
    /// number a call. Rows that cannot be read stay, and the others are removed.
    func sweep(now: Timestamp) throws(RegistryError) -> Completeness

    /// Writes and answers the changes in the queue, and closes. Later calls fail with `.closed`.
    func close()
}
