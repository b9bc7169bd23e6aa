package import CarillonCore
import CarillonLMDB

/// The statistics of the outbox.
extension LMDBRegistry {
    /// Returns the statistics of the outbox. LMDB keeps these numbers; only the list of free pages is read.
    package func outboxStatistics() throws(RegistryError) -> OutboxStatistics {
        let freeBytes = try withEnvironment { environment, _ in
            try environment.countFreePages() * environment.space().pageBytes
        }
        return try readCurrent { transaction, tables in
            OutboxStatistics(
                messages: try transaction.count(in: tables.messages.database),
                toSend: try transaction.count(in: tables.outbox.database),
                scheduled: try transaction.count(in: tables.schedule.database), freeBytes: freeBytes)
        }
    }
}
