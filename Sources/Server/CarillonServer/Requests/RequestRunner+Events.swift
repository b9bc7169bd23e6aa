import CarillonCore
import CarillonSession
import CarillonWire

/// Events (Protocol 11).
extension RequestRunner {
    /// Finds the number after which a subscription begins; the session then sends what follows.
    ///
    /// A new name is stored at that number at once, even if the client never acknowledges an event.
    func subscribe(
        _ subscription: SubscribeEventsRequest, in context: RequestContext,
        _ complete: @escaping @Sendable (Result<UInt64, RequestError>) -> Void
    ) {
        let principal = context.principal
        let complete = measured(SubscribeEventsRequest.opcode, complete)
        if let refusal = admission.check(
            context, permission: admission.roleRefusal(ofSubscription: subscription, for: principal))
        {
            return complete(.failure(refusal))
        }
        guard events.filter(of: subscription, for: principal) != nil else {
            return complete(
                .failure(RequestError(.forbidden, message: "\(principal.name) observes no app", field: "apps")))
        }
        events.threads.submit(for: principal.name) { [self] isActive in
            guard isActive else { return complete(.failure(RequestError(.closed))) }
            do throws(RegistryError) {
                let after = try events.startingSequence(of: subscription, for: principal)
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
}
