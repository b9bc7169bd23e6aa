import CarillonCore
import CarillonWire

/// The reader of events for subscriptions: the request runner, or a test.
protocol EventReader: Sendable {
    /// Returns the filter of a subscription: only apps that the client may observe; nil if it may observe none.
    func filter(of subscription: SubscribeEventsRequest, for principal: Principal) -> EventFilter?

    /// Reads a page of events; `completion` is called on any thread, with nil if the page could not be read.
    func readEvents(
        after sequence: UInt64, matching filter: EventFilter, for principal: String,
        _ completion: @escaping @Sendable (EventPage?) -> Void)
}
