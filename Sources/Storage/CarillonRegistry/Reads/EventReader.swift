import CarillonCore
import CarillonLMDB

/// A reader of the events that a filter admits, in pages.
struct EventReader {
    let filter: EventFilter
    let tables: Tables

    /// Returns the events after a number, in order; see `EventReads.events`. There are none after a number beyond the
    /// newest: the page then names the newest number.
    func page(after sequence: UInt64, limit: Int, in transaction: borrowing ReadTransaction) throws -> EventPage {
        let last = try tables.meta.lastEvent(in: transaction)
        var page = EventPage(events: [], upTo: min(sequence, last), hasMore: false)
        // If no event is left, all events up to the last number were removed.
        let removed = try tables.events.oldest(in: transaction).map { $0.sequence - 1 } ?? last
        if page.upTo < removed {
            guard removed < .max else { throw RegistryError.corrupted("meta: the last event") }
            page.missed = page.upTo + 1..<removed + 1
            page.upTo = removed
        }
        let limit = max(1, limit)
        _ = try tables.events.forEach(
            after: page.upTo, limit: RegistryLimits.eventsPerRead, in: transaction
        ) { event in
            page.upTo = event.sequence
            if filter.admits(event) { page.events.append(event) }
            return page.events.count < limit ? .proceed : .stop
        }
        page.hasMore = page.upTo < last
        try addTraces(to: &page.events, in: transaction)
        return page
    }

    /// Gives each event of a message the trace of the message. The events of a message stand together, so its trace is
    /// read once.
    private func addTraces(to events: inout [Event], in transaction: borrowing ReadTransaction) throws {
        var latest: (message: MessageID, trace: TraceParent?)?
        for index in events.indices {
            guard let message = events[index].message else { continue }
            if latest?.message != message {
                latest = (message, try tables.messageMetadata.get(message, in: transaction).traceParent)
            }
            events[index].traceParent = latest?.trace
        }
    }
}
