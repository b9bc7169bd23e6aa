import CarillonCore
import CarillonSession
import CarillonWire

/// The events of the registry as subscriptions read them: where each begins, which events it may see, and its pages.
final class RegistryEventReader: EventPageReader {
    private let registry: any EventReads
    /// The thread for reads of events.
    let threads: ReaderThreads

    init(_ registry: any EventReads, threads: ReaderThreads) {
        self.registry = registry
        self.threads = threads
    }

    /// Returns the number after which a subscription begins. Blocks.
    func startingSequence(
        of subscription: SubscribeEventsRequest, for principal: Principal
    ) throws(RegistryError) -> UInt64 {
        switch subscription.from {
        case SubscribeEventsRequest.fromNow: return try registry.newestEventSequence()
        case SubscribeEventsRequest.fromOldest:
            if let oldest = try registry.oldestEventSequence() { return oldest - 1 }
            return try registry.newestEventSequence()
        case 0:
            guard !subscription.name.isEmpty else { return try registry.newestEventSequence() }
            let subscriber = EventSubscriber(principal: principal.name, name: subscription.name)
            if let acknowledged = try registry.acknowledgedSequence(by: subscriber) { return acknowledged }
            return try registry.newestEventSequence()
        // A number that no event has yet comes from another history. A client that waited for it would wait forever.
        default: return min(subscription.from, try registry.newestEventSequence())
        }
    }

    func filter(of subscription: SubscribeEventsRequest, for principal: Principal) -> EventFilter? {
        var filter = subscription.filter
        guard filter.apps.isEmpty, let apps = principal.apps(as: .observe) else { return filter }
        guard !apps.isEmpty else { return nil }
        filter.apps = apps
        return filter
    }

    func readEvents(
        after sequence: UInt64, matching filter: EventFilter, for principal: String,
        _ completion: @escaping @Sendable (EventPage?) -> Void
    ) {
        threads.submit(for: principal) { [registry] isActive in
            guard isActive else { return completion(nil) }
            do throws(RegistryError) {
                completion(try registry.events(after: sequence, limit: EventSubscription.eventsPerPage, filter: filter))
            } catch {
                completion(nil)
            }
        }
    }
}
