import CarillonCore
import CarillonLMDB

/// Removes rows whose retention is over: one sweep, of a bounded number of rows.
///
/// A row that must be read and cannot be read stays, for an operator. If it is a row of `expiry`, `subscribers` or
/// `silent`, it is reported and passed over. Any other one aborts the transaction of its sweep, and the next sweep
/// skips the item. Only unreadable events are removed, with the events around them.
struct RetentionSweep {
    private let context: WriteContext
    private let now: Timestamp
    /// The number of rows that may still be removed.
    private var remainingRows = 0
    /// The item that is being removed, or the step that is being run. It is reported if it meets a row that cannot be
    /// read.
    private var item = UnreadableItem.step("settings")

    private var tables: Tables { context.tables }
    private var unreadable: UnreadableItems { context.unreadable }

    init(in context: WriteContext, at now: Timestamp) {
        self.context = context
        self.now = now
    }

    /// Removes rows whose retention is over, at most about as many as the settings say. If a message has more rows than
    /// that, the next sweeps remove those that are left. Returns `.incomplete` if more rows may be due.
    mutating func run(in transaction: inout WriteTransaction) throws -> Completeness {
        unreadable.sweepBegan()
        do {
            let settings = try context.settings.get(in: transaction)
            remainingRows = max(1, settings.maximumSweptRows)
            try context.bufferedTopics.flush(in: &transaction)
            try removeExpired(retention: settings.retention, in: &transaction)
            try removeUnlisted(retention: settings.retention, in: &transaction)
            try context.endChange(in: &transaction)
            return remainingRows > 0 ? .complete : .incomplete
        } catch {
            if case .corrupted(let reason) = RegistryError(reading: error) {
                unreadable.sweepFailed(at: item, because: reason)
            }
            throw error
        }
    }

    /// Removes what has a row in `expiry`, kind by kind, the oldest first.
    private mutating func removeExpired(
        retention: RegistrySettings.Retention, in transaction: inout WriteTransaction
    ) throws {
        for kind in ExpiringKind.allCases {
            // A row that is exactly as old as its retention stays: the interval of a key includes its end.
            guard let bound = now.earlier(byMilliseconds: retention.milliseconds(of: kind)) else { continue }
            let due = try tables.expiry.first(
                remainingRows, of: ExpiryTable.DueRange(kind: kind, bound: bound), in: transaction,
                where: { [unreadable] in !unreadable.contains(.expiring($0)) },
                onUnreadable: unreadable.rowFault(of: "expiry"))
            for (expiring, time) in due {
                item = .expiring(expiring)
                remainingRows -= try remove(expiring, from: time, limit: remainingRows, in: &transaction)
                if remainingRows <= 0 { return }
            }
        }
    }

    /// Removes what has no row in `expiry`: events, subscribers, and the times of silent pushes.
    private mutating func removeUnlisted(
        retention: RegistrySettings.Retention, in transaction: inout WriteTransaction
    ) throws {
        if let bound = now.earlier(byMilliseconds: retention.eventMilliseconds), beginStep(.step("events")) {
            remainingRows -= try context.events.removeOld(before: bound, limit: remainingRows, in: &transaction)
        }
        if let bound = now.earlier(byMilliseconds: retention.subscriberMilliseconds), beginStep(.step("subscribers")) {
            remainingRows -= try removeSubscribers(unusedSince: bound, in: &transaction)
        }
        if beginStep(.step("silent pushes")) {
            remainingRows -= try removeOldSilentPushes(limit: remainingRows, in: &transaction)
        }
    }

    /// Removes subscribers whose last acknowledgement is before `bound`; returns the number of subscribers that it has
    /// removed.
    private func removeSubscribers(unusedSince bound: Timestamp, in transaction: inout WriteTransaction) throws -> Int {
        var unused: [EventSubscriber] = []
        let rowFault = unreadable.rowFault(of: "subscribers")
        try tables.subscribers.forEach(in: transaction, onUnreadable: rowFault) { subscriber, record in
            if record.usedAt < bound { unused.append(subscriber) }
        }
        for subscriber in unused { _ = try tables.subscribers.delete(subscriber, in: &transaction) }
        return unused.count
    }

    /// Reads at most `limit` devices after the one at which the last sweep ended, and removes rows whose pushes no
    /// longer count. Returns the number of devices that were read. If it is `limit`, there may be more.
    private func removeOldSilentPushes(limit: Int, in transaction: inout WriteTransaction) throws -> Int {
        var old: [(AppNumber, DeviceID)] = []
        var last: (AppNumber, DeviceID)?
        let budget = try context.settings.get(in: transaction).silentBudget
        let count = try tables.silentPushes.forEach(
            after: try tables.meta.lastSilentSweepDevice(in: transaction), limit: limit, in: transaction,
            onUnreadable: unreadable.rowFault(of: "silent")
        ) { app, id, times in
            last = (app, id)
            if times.allSatisfy({ !budget.isCounted($0, at: now) }) { old.append((app, id)) }
        }
        for (app, id) in old { try tables.silentPushes.delete(id, app: app, in: &transaction) }
        try tables.meta.putLastSilentSweepDevice(count < limit ? nil : last, in: &transaction)
        return count
    }

    /// Notes the step that begins. Returns false if the step is skipped: no more rows may be removed, or an earlier
    /// sweep has failed at it.
    private mutating func beginStep(_ step: UnreadableItem) -> Bool {
        item = step
        return remainingRows > 0 && !unreadable.contains(step)
    }

    /// Removes an item and its row in `expiry`; of a message at most about `limit` rows. Returns about the number of
    /// removed rows.
    private func remove(
        _ item: Expiring,
        from time: Timestamp,
        limit: Int,
        in transaction: inout WriteTransaction
    ) throws -> Int {
        switch item {
        case .tombstone(let app, let address):
            try tables.expiry.delete(item, from: time, in: &transaction)
            try tables.tombstones.delete(address, app: app, in: &transaction)
            let digest = tables.digest(of: address, app: app)
            guard case .tombstone = try context.tokenIndex.row(of: digest, app: app, in: transaction) else { return 2 }
            try context.tokenIndex.delete(digest, app: app, in: &transaction)
            return 3
        case .idempotencyKey(let app, let key):
            try tables.expiry.delete(item, from: time, in: &transaction)
            try tables.idempotency.delete(key, app: app, in: &transaction)
            return 2
        case .quarantined(let app, let id):
            guard let device = try tables.devices.get(id, app: app, in: transaction), device.state == .quarantined,
                try tables.quarantine.get(id, app: app, in: transaction) == time
            else {
                try tables.expiry.delete(item, from: time, in: &transaction)
                return 1
            }
            // The device leaves the quarantine with this, and so its row in `expiry` is removed as well.
            try context.deviceRemover.remove(device, app: app, in: &transaction)
            let scope = ChangeScope(app: app, now: now)
            try context.tombstones.write(
                device.address, scope: scope, replacing: nil, at: max(now, device.seenAt), in: &transaction)
            return 4
        case .message(let id):
            return try removeMessage(id, from: time, limit: limit, in: &transaction)
        }
    }

    /// Removes a message and its pages, at most about `limit` rows; returns the number of rows. Its row in `expiry` is
    /// the last: while it is there, the next sweep continues.
    private func removeMessage(
        _ id: MessageID,
        from time: Timestamp,
        limit: Int,
        in transaction: inout WriteTransaction
    ) throws -> Int {
        var rows = 0
        if let progress = try tables.progress.get(id, in: transaction) {
            try tables.messages.delete(id, in: &transaction)
            try tables.messageMetadata.delete(id, in: &transaction)
            try tables.appMessages.delete(id, app: progress.app, in: &transaction)
            try tables.progress.delete(id, in: &transaction)
            rows = 4
        }
        while rows < limit, let page = try tables.outcomes.nextPage(id, from: 0, in: transaction) {
            try tables.outcomes.delete(id, page: page, in: &transaction)
            _ = try tables.recipients.delete(id, page: page, in: &transaction)
            rows += 2
        }
        while rows < limit, let row = try tables.receipts.first(id, in: transaction) {
            try tables.receipts.delete(row, in: &transaction)
            rows += 1
        }
        while rows < limit, let row = try tables.attempts.first(id, in: transaction) {
            try tables.attempts.delete(row, in: &transaction)
            rows += 1
        }
        guard try tables.outcomes.nextPage(id, from: 0, in: transaction) == nil,
            try tables.receipts.first(id, in: transaction) == nil, try tables.attempts.first(id, in: transaction) == nil
        else { return rows }
        try tables.expiry.delete(.message(id), from: time, in: &transaction)
        return rows + 1
    }
}
