import CarillonCore
import CarillonLMDB

/// The events from outside of the registry, and the subscribers of events.
extension WriteContext {
    func appendEvent(_ event: Event, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        try events.append(event, in: &transaction)
        return .applied
    }

    /// Stores that a subscriber has seen every event up to a number. The number never decreases, and is never above the
    /// newest event.
    func acknowledge(
        _ subscriber: EventSubscriber,
        upTo sequence: UInt64,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard SubscriberTable.canKeep(subscriber) else { return .refused(.tooMany(.subscribers)) }
        let known = try tables.subscribers.get(subscriber, in: transaction)
        if known == nil, let limit = try exceededLimit(ofNewNameOf: subscriber.principal, in: transaction) {
            return .refused(.tooMany(limit))
        }
        let seen = min(sequence, try events.newestSequence(in: transaction))
        let record = SubscriberRecord(acknowledgedSequence: max(seen, known?.acknowledgedSequence ?? 0), usedAt: now)
        try tables.subscribers.put(record, for: subscriber, in: &transaction)
        return .applied
    }

    /// Returns the limit that another name of the principal would exceed; nil if it exceeds none.
    private func exceededLimit(ofNewNameOf principal: String, in transaction: borrowing WriteTransaction) throws
        -> ChangeAnswer.LimitedItem?
    {
        let own = try tables.subscribers.count(of: principal, in: transaction)
        if own >= RegistryLimits.eventSubscribersPerPrincipal { return .ownSubscribers }
        let all = try transaction.count(in: tables.subscribers.database)
        return all >= RegistryLimits.eventSubscribers ? .subscribers : nil
    }

    func forgetSubscriber(_ subscriber: EventSubscriber, in transaction: inout WriteTransaction) throws -> ChangeAnswer
    {
        guard SubscriberTable.canKeep(subscriber) else { return .forgotten(wasKnown: false) }
        return .forgotten(wasKnown: try tables.subscribers.delete(subscriber, in: &transaction))
    }

    /// Removes subscribers whose last acknowledgement is before `bound`; returns the number of subscribers that it has
    /// removed.
    func removeSubscribers(unusedSince bound: Timestamp, in transaction: inout WriteTransaction) throws -> Int {
        var unused: [EventSubscriber] = []
        let rowFault = unreadable.rowFault(of: "subscribers")
        try tables.subscribers.forEach(in: transaction, onUnreadable: rowFault) { subscriber, record in
            if record.usedAt < bound { unused.append(subscriber) }
        }
        for subscriber in unused { _ = try tables.subscribers.delete(subscriber, in: &transaction) }
        return unused.count
    }
}
