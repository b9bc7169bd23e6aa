import CarillonCore
import CarillonLMDB

extension WriteContext {
    /// Appends an event of something outside of the registry.
    func append(_ event: Event, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        try events.append(event, in: &transaction)
        return .noted
    }

    /// Stores that a subscriber has seen every event up to a number. The number never decreases, and is never above the
    /// newest event.
    func acknowledge(
        _ subscriber: EventSubscriber,
        upTo sequence: UInt64,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard SubscriberTable.canKeep(subscriber) else { return .refused(.tooMany(.subscribers)) }
        let known = try layout.subscribers.get(subscriber, in: transaction)
        if try known == nil && transaction.count(in: layout.subscribers.database) >= RegistryLimits.eventSubscribers {
            return .refused(.tooMany(.subscribers))
        }
        let seen = min(sequence, try events.newest(in: transaction))
        let record = SubscriberRecord(acknowledged: max(seen, known?.acknowledged ?? 0), usedAt: wallClock())
        try layout.subscribers.put(record, for: subscriber, in: &transaction)
        return .noted
    }

    /// Removes subscribers whose last acknowledgement is before `bound`; returns their number.
    func removeSubscribers(unusedSince bound: Timestamp, in transaction: inout WriteTransaction) throws -> Int {
        var unused: [EventSubscriber] = []
        let skipRow = skipRow(of: "subscribers")
        try layout.subscribers.forEach(in: transaction, onUnreadable: skipRow) { subscriber, record in
            if record.usedAt < bound { unused.append(subscriber) }
        }
        for subscriber in unused { try layout.subscribers.delete(subscriber, in: &transaction) }
        return unused.count
    }
}
