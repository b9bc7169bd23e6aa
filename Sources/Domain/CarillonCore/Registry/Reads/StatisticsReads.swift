/// The load, the sizes and the counts of the registry.
package protocol StatisticsReads: AnyObject, Sendable {
    /// The changes that wait for the writer now. To read it costs a lock.
    var queueLoad: WriteQueueLoad { get }

    /// Returns the size and the use of the storage now. Reads no pages.
    func statistics() throws(RegistryError) -> StorageStatistics

    /// Counts the messages that are kept now, and the free room in the storage.
    func outboxStatistics() throws(RegistryError) -> OutboxStatistics

    /// Counts the devices, groups and topics of each app, by name. Reads the names of all groups and topics: for a
    /// thread that may take seconds.
    func registryCounts() throws(RegistryError) -> [ServerStatistics.AppCount]
}
