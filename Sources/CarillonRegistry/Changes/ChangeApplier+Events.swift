import CarillonCore
import CarillonLMDB

extension ChangeApplier {
    /// A subscriber has seen every event up to a number. It never goes back, and not beyond the newest.
    func acknowledge(
        _ subscriber: EventSubscriber,
        upTo sequence: UInt64,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard SubscriberTable.canKeep(subscriber) else { return .refused(.tooMany(.subscribers)) }
        let known = try layout.subscribers.get(transaction, subscriber)
        if try known == nil && transaction.count(layout.subscribers.database) >= RegistryLimits.eventSubscribers {
            return .refused(.tooMany(.subscribers))
        }
        let seen = min(sequence, try events.newest(transaction))
        let record = SubscriberRecord(acknowledged: max(seen, known?.acknowledged ?? 0), usedAt: wallClock())
        try layout.subscribers.put(&transaction, subscriber, record)
        return .noted
    }

    /// Forgets subscribers that have not acknowledged anything since `bound`; returns how many.
    func forgetSubscribers(unusedSince bound: Timestamp, in transaction: inout WriteTransaction) throws -> Int {
        var unused: [EventSubscriber] = []
        let passOver = passOverRow(of: "subscribers")
        try layout.subscribers.forEach(transaction, onUnreadable: passOver) { subscriber, record in
            if record.usedAt < bound { unused.append(subscriber) }
        }
        for subscriber in unused { try layout.subscribers.delete(&transaction, subscriber) }
        return unused.count
    }
}
