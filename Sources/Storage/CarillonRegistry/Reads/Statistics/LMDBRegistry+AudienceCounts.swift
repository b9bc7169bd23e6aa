package import CarillonCore
import CarillonLMDB

/// The number of devices of an audience.
extension LMDBRegistry {
    /// Counts the devices in the audience of a message; see `MessageReads.audienceCount`.
    package func audienceCount(of message: MessageID) throws(RegistryError) -> UInt64? {
        try readAfterCheckpoint { transaction, tables in
            guard let progress = try tables.progress.get(message, in: transaction), !progress.isCounted,
                !progress.isFinished, let audience = try tables.messages.get(message, in: transaction)?.live
            else { return nil }
            return try Self.count(audience, app: progress.app, tables: tables, in: transaction)
        }
    }

    /// Counts the devices that are in a live audience now.
    static func count(
        _ audience: LiveAudience, app: AppNumber, tables: Tables, in transaction: borrowing ReadTransaction
    ) throws -> UInt64 {
        guard let condition = audience.audience.condition else { return 0 }
        let plan = ConditionPlan(condition)
        if let name = plan.singleSet, audience.excluded.isEmpty {
            return try tables.sets.get(SetLabel(name), app: app, in: transaction)?.devices ?? 0
        }
        return try tables.withScan(of: plan, app: app, in: transaction) {
            try $0.count(audience.restrict)
        }
    }
}
