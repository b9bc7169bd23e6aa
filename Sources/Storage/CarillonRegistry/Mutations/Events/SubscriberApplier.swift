import CarillonCore
import CarillonLMDB

/// Applies the acknowledgements of event subscribers, and forgets subscribers.
final class SubscriberApplier {
    private let tables: Tables
    private let events: EventWriter

    init(_ context: WriteContext) {
        tables = context.tables
        events = context.events
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

    /// Removes the row of a subscriber; the answer says whether there was one.
    func forget(_ subscriber: EventSubscriber, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        guard SubscriberTable.canKeep(subscriber) else { return .forgotten(wasKnown: false) }
        return .forgotten(wasKnown: try tables.subscribers.delete(subscriber, in: &transaction))
    }
}
