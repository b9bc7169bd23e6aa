import CarillonCore
import CarillonSession
import CarillonWire

/// Events (Protocol 11).
extension RequestRunner: EventReader {
    /// Finds the number after which a subscription begins; the session then sends what follows.
    ///
    /// A new name is stored at that number at once, even if the client never acknowledges an event.
    func subscribe(
        _ subscription: SubscribeEventsRequest, in context: RequestContext,
        _ complete: @escaping @Sendable (Result<UInt64, RequestError>) -> Void
    ) {
        let principal = context.principal
        let complete = measured(SubscribeEventsRequest.opcode, complete)
        if let refusal = admission.admit(
            context, unless: admission.roleRefusal(ofSubscription: subscription, for: principal))
        {
            return complete(.failure(refusal))
        }
        guard filter(of: subscription, for: principal) != nil else {
            return complete(
                .failure(RequestError(.forbidden, message: "\(principal.name) observes no app", field: "apps")))
        }
        eventReadThreads.submit(for: principal.name) { [self] isActive in
            guard isActive else { return complete(.failure(RequestError(.closed))) }
            do throws(RegistryError) {
                let after = try startingSequence(of: subscription, for: principal)
                let subscriber = EventSubscriber(principal: principal.name, name: subscription.name)
                guard !subscription.name.isEmpty, try registry.acknowledgedSequence(by: subscriber) == nil else {
                    return complete(.success(after))
                }
                acknowledgements.write(subscriber, upTo: after) { error in
                    complete(error.map(Result.failure) ?? .success(after))
                }
            } catch {
                complete(.failure(RequestError(error)))
            }
        }
    }

    private func startingSequence(of subscription: SubscribeEventsRequest, for principal: Principal)
        throws(RegistryError)
        -> UInt64
    {
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
        // A number that no event has yet comes from another history. A client that waited for it would wait for ever.
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

    /// Removes a subscriber with the sequence that it has acknowledged (FORGET_SUBSCRIBER).
    func forget(_ removal: ForgetSubscriberRequest, for execution: Execution) {
        let subscriber = EventSubscriber(principal: execution.principal.name, name: removal.name)
        // Changes of one connection take effect in the order in which they came.
        acknowledgements.writeDeferred(of: subscriber)
        submitAndAnswer(.forgetSubscriber(subscriber), for: execution) { answer in
            guard case .forgotten(let wasKnown) = answer else { return .failure(.unexpectedAnswer) }
            return .success(EncodedAnswer(wasKnown, to: ForgetSubscriberRequest.self))
        }
    }

    func readEvents(
        after sequence: UInt64, matching filter: EventFilter, for principal: String,
        _ completion: @escaping @Sendable (EventPage?) -> Void
    ) {
        eventReadThreads.submit(for: principal) { [registry] isActive in
            guard isActive else { return completion(nil) }
            do throws(RegistryError) {
                completion(try registry.events(after: sequence, limit: EventSubscription.eventsPerPage, filter: filter))
            } catch {
                completion(nil)
            }
        }
    }
}
