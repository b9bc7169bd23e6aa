/// Reads of events and of the acknowledgements of their subscribers. They show every answered change, may be made on
/// any thread, and may block on the disk.
package protocol EventReads: AnyObject, Sendable {
    /// Returns the number of the newest event; 0 before the first.
    func newestEventSequence() throws(RegistryError) -> UInt64

    /// Returns the number of the oldest event that is kept; nil if no event is kept.
    func oldestEventSequence() throws(RegistryError) -> UInt64?

    /// Returns the events after a number, in order; at most `limit`, looking at no more than
    /// `RegistryLimits.eventsPerRead`.
    func events(after sequence: UInt64, limit: Int, filter: EventFilter) throws(RegistryError) -> EventPage

    /// Returns the number of the last event that a subscriber has acknowledged; nil if there is no such subscriber.
    func acknowledgedSequence(by subscriber: EventSubscriber) throws(RegistryError) -> UInt64?
}
