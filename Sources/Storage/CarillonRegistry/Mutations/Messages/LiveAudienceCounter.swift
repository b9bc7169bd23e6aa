import CarillonCore
import CarillonLMDB

/// Counts the devices that a live audience addresses, on the writer's thread: so a scan takes a bounded number of
/// steps.
final class LiveAudienceCounter {
    private let tables: Tables
    private let sets: SetCache
    /// The most times that a scan may look at a set in a chunk.
    private let maximumSteps: Int

    init(tables: Tables, sets: SetCache, maximumSteps: Int) {
        self.tables = tables
        self.sets = sets
        self.maximumSteps = maximumSteps
    }

    /// Returns the number of devices that a live audience addresses now; nil if counting them takes too long here.
    func count(_ audience: LiveAudience, app: AppNumber, in transaction: inout WriteTransaction) throws -> UInt64? {
        guard let condition = audience.audience.condition else { return 0 }
        let plan = ConditionPlan(condition)
        if let name = plan.singleSet {
            guard let set = try sets.find(SetLabel(name), app: app, in: transaction) else { return 0 }
            let excludedCount = try audience.excluded.count {
                try sets.bits(of: set, at: $0.chunk, in: transaction).contains($0.offset)
            }
            return set.record.devices - min(UInt64(excludedCount), set.record.devices)
        }
        try sets.flush(in: &transaction)
        do {
            return try tables.withScan(of: plan, app: app, maximumSteps: maximumSteps, in: transaction) {
                try $0.count(audience.restrict)
            }
        } catch is PostingScan.LimitError {
            return nil
        }
    }
}
