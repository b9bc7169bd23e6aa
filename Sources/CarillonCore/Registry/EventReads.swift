/// Reads of events and of what their subscribers have acknowledged. They show every answered change, may be made on any
/// thread, and may block on the disk.
package protocol EventReads: AnyObject, Sendable {
    /// The number of the newest event; 0 before the first.
    func newestEvent() throws(RegistryError) -> UInt64

    /// The number of the oldest event that is kept; nil if none is.
    func oldestEvent() throws(RegistryError) -> UInt64?

    /// Events after a number, in order; at most `limit`, looking at no more than `RegistryLimits.eventsPerRead`.
    func events(after sequence: UInt64, limit: Int, filter: EventFilter) throws(RegistryError) -> EventPage

    /// The number of the last event that a subscriber has acknowledged; nil if there is no such subscriber.
    func acknowledged(by subscriber: EventSubscriber) throws(RegistryError) -> UInt64?
}
