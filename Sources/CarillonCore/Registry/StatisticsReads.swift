/// The load, the sizes and the counts of the registry.
package protocol StatisticsReads: AnyObject, Sendable {
    /// The changes that wait for the writer now. Costs a lock.
    var queueLoad: WriteQueueLoad { get }

    /// The size and the use of the storage now. Reads no pages.
    func statistics() throws(RegistryError) -> StorageStatistics

    /// The messages that are kept now, and the free room in the storage.
    func outboxStatistics() throws(RegistryError) -> OutboxStatistics

    /// The devices, groups and topics of each app, by name. Reads the names of all groups and topics: for a thread that
    /// may take seconds.
    func registryCounts() throws(RegistryError) -> [ServerStatistics.AppCount]
}
