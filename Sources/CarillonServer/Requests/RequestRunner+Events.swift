import CarillonCore
import CarillonWire
import NIOPosix

/// Events (Protocol 8a).
extension RequestRunner {
    /// Says after which number a subscription begins; the session then tells what follows. A name that is new has its place
    /// from now on, also if nothing happens until it asks again.
    func subscribe(_ it: EventSubscription, _ work: Work) {
        guard filter(of: it, for: work.principal) != nil else {
            return work.answer(
                .failure(ErrorReply(.forbidden, message: "\(work.principal.name) observes no app", field: "apps")))
        }
        readers.submit { [self] state in
            guard case .active = state else { return work.answer(.failure(Self.reply(.closed))) }
            do throws(RegistryError) {
                let after = try start(of: it, work.principal)
                let subscriber = EventSubscriber(principal: work.principal.name, name: it.name)
                guard !it.name.isEmpty, try registry.acknowledged(by: subscriber) == nil else {
                    return work.answer(.success(.eventsSubscribed(after: after)))
                }
                acknowledge(subscriber, upTo: after) { result in
                    work.answer(result.map { _ in .eventsSubscribed(after: after) })
                }
            } catch {
                work.answer(.failure(Self.reply(error)))
            }
        }
    }

    private func start(of it: EventSubscription, _ principal: Principal) throws(RegistryError) -> UInt64 {
        switch it.from {
        case EventSubscription.now: return try registry.newestEvent()
        case EventSubscription.oldest:
            if let oldest = try registry.oldestEvent() { return oldest - 1 }
            return try registry.newestEvent()
        case 0:
            guard !it.name.isEmpty else { return try registry.newestEvent() }
            let subscriber = EventSubscriber(principal: principal.name, name: it.name)
            if let acknowledged = try registry.acknowledged(by: subscriber) { return acknowledged }
            return try registry.newestEvent()
        // A number that no event has yet is of another history: waiting for it would be silence for ever.
        default: return min(it.from, try registry.newestEvent())
        }
    }

    /// What a subscription is told: never of apps that the principal may not observe.
    func filter(of it: EventSubscription, for principal: Principal) -> EventFilter? {
        var filter = it.filter
        guard filter.apps.isEmpty, let apps = principal.apps(as: .observe) else { return filter }
        guard !apps.isEmpty else { return nil }
        filter.apps = apps
        return filter
    }

    /// A subscriber has seen every event up to a number; `answer` is told when that is on disk.
    func acknowledge(_ subscriber: EventSubscriber, upTo sequence: UInt64, _ answer: @escaping Answer) {
        registry.submit(.acknowledge(subscriber, upTo: sequence), deadline: nil) { result in
            switch result {
            case .success(.refused(let refusal)): answer(.failure(Self.reply(refusal)))
            case .success: answer(.success(.eventsCredited))
            case .failure(let error): answer(.failure(Self.reply(error)))
            }
        }
    }

    /// Reads a page of events; `done` is called on another thread, with nil if it could not be read.
    func readEvents(
        after sequence: UInt64, matching filter: EventFilter, _ done: @escaping @Sendable (EventPage?) -> Void
    ) {
        readers.submit { [self] state in
            guard case .active = state else { return done(nil) }
            do throws(RegistryError) {
                done(try registry.events(after: sequence, limit: EventFeed.pageSize, filter: filter))
            } catch {
                done(nil)
            }
        }
    }
}
