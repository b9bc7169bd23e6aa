package import CarillonCore
import CarillonLMDB

/// Reads events, and the acknowledgements of their subscribers (`EventReads`).
extension LMDBRegistry {
    package func events(
        after sequence: UInt64, limit: Int, filter: EventFilter
    ) throws(RegistryError) -> EventPage {
        try readCurrent { transaction, tables in
            try EventReader(filter: filter, tables: tables).page(after: sequence, limit: limit, in: transaction)
        }
    }

    package func newestEventSequence() throws(RegistryError) -> UInt64 {
        try readCurrent { transaction, tables in try tables.meta.lastEvent(in: transaction) }
    }

    package func oldestEventSequence() throws(RegistryError) -> UInt64? {
        try readCurrent { transaction, tables in try tables.events.oldest(in: transaction)?.sequence }
    }

    package func acknowledgedSequence(by subscriber: EventSubscriber) throws(RegistryError) -> UInt64? {
        try readCurrent { transaction, tables in
            try tables.subscribers.get(subscriber, in: transaction)?.acknowledgedSequence
        }
    }
}
