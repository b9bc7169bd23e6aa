import CarillonCore
import CarillonLMDB

/// Counts the devices that are in an audience now. It reads a snapshot: for messages that were accepted without a
/// count, for EXPLAIN and for dry runs.
struct AudienceCounter {
    let tables: Tables

    /// Counts the devices in the audience of a message; see `MessageReads.audienceCount`.
    func count(of message: MessageID, in transaction: borrowing ReadTransaction) throws -> UInt64? {
        guard let progress = try tables.progress.get(message, in: transaction), !progress.isCounted,
            !progress.isFinished, let audience = try tables.messages.get(message, in: transaction)?.live
        else { return nil }
        return try count(audience, app: progress.app, in: transaction)
    }

    /// Counts the devices in a live audience.
    private func count(
        _ audience: LiveAudience, app: AppNumber, in transaction: borrowing ReadTransaction
    ) throws -> UInt64 {
        guard let condition = audience.audience.condition else { return 0 }
        let plan = ConditionPlan(condition)
        if let name = plan.singleSet, audience.excluded.isEmpty { return try count(name, app: app, in: transaction) }
        return try tables.withScan(of: plan, app: app, in: transaction) { try $0.count(audience.restrict) }
    }

    /// Returns the number of devices that is stored with a set; 0 if there is no such set.
    private func count(_ set: SetName, app: AppNumber, in transaction: borrowing ReadTransaction) throws -> UInt64 {
        try tables.sets.get(SetLabel(set), app: app, in: transaction)?.devices ?? 0
    }

    /// Counts the devices for which a condition holds, and those of each set in it. An app that does not exist has
    /// none.
    func explain(
        _ condition: Condition, app: AppID, in transaction: borrowing ReadTransaction
    ) throws -> Explanation {
        let app = try tables.apps.get(app, in: transaction)?.number
        let terms = try condition.setNames.map { name in
            Explanation.Term(
                set: name.description, devices: try app.map { try count(name, app: $0, in: transaction) } ?? 0)
        }
        let plan = ConditionPlan(condition)
        let devices: UInt64
        if let app, let name = plan.singleSet {
            devices = try count(name, app: app, in: transaction)
        } else if let app {
            devices = try tables.withScan(of: plan, app: app, in: transaction) { try $0.count() }
        } else {
            devices = 0
        }
        return Explanation(condition: condition.description, devices: devices, terms: terms)
    }

    // MARK: Dry runs

    /// Returns the answer that a message would get. Nothing is stored.
    func dryRun(_ message: Message, in transaction: borrowing ReadTransaction) throws -> SendResult {
        let app = try tables.apps.get(message.content.app, in: transaction)
        var total: UInt64 = 0
        var ended: UInt64 = 0
        if case .devices(let devices) = message.audience {
            let counts = try ListedAudience(
                of: devices, excluding: message.excludedDevice, pushType: message.content.pushType, app: app?.number,
                tables: tables, in: transaction
            ).counts
            total = counts.total
            ended = total - counts[.pending]
        } else if case .channel = message.audience {
            total = 1
        } else if let app {
            let excluded = try message.excludedDevice.flatMap { try id(of: $0, app: app.number, in: transaction) }
            let audience = LiveAudience(
                audience: message.audience, excluded: excluded.map { [$0] } ?? [], idBound: app.nextDevice)
            total = try count(audience, app: app.number, in: transaction)
        }
        return SendResult(
            id: MessageID(rawValue: 0), isDuplicate: false, total: UInt32(clamping: total),
            ended: UInt32(clamping: ended))
    }

    private func id(
        of reference: DeviceReference, app: AppNumber, in transaction: borrowing ReadTransaction
    ) throws -> DeviceID? {
        switch reference {
        case .id(let id): id
        case .address(let address):
            try tables.id(at: address, digest: tables.digest(of: address, app: app), app: app, in: transaction)
        }
    }
}
