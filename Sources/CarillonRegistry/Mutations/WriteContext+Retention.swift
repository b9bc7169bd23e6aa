import CarillonCore
import CarillonLMDB

/// The sweeps: they remove rows whose retention is over, a bounded number at a time.
extension WriteContext {
    /// Removes rows whose retention is over, at most about as many as the settings say. Returns true if there may be
    /// more. A message is removed at once, its pages one after the other.
    ///
    /// A row that cannot be read stays, for an operator, and aborts this transaction; the next sweep skips it.
    func sweep(now: Timestamp, in transaction: inout WriteTransaction) throws -> Bool {
        unreadable.sweepBegan()
        var step = UnreadableItem.step("")
        do {
            let settings = try settings(in: transaction)
            let hasMore = try sweep(now: now, settings: settings, step: &step, in: &transaction)
            try endChange(in: &transaction)
            return hasMore
        } catch {
            if case .corrupted(let reason) = RegistryError(reading: error) {
                unreadable.sweepFailed(at: step, because: reason)
            }
            throw error
        }
    }

    /// Removes rows whose retention is over, as the other `sweep` does, and sets `step` before each item.
    ///
    /// - Parameter step: the item that is being removed.
    private func sweep(
        now: Timestamp, settings: RegistrySettings, step: inout UnreadableItem,
        in transaction: inout WriteTransaction
    ) throws -> Bool {
        try flushBufferedTopics(in: &transaction)
        let retention = settings.retention
        var rest = max(1, settings.maximumSweptRows)
        for kind in ExpiringKind.allCases {
            // A row that is exactly as old as its retention stays: the window of a key includes its end.
            guard let bound = now.earlier(byMilliseconds: retention.milliseconds(of: kind)) else { continue }
            let due = try tables.expiry.first(
                rest, of: ExpiryTable.Range(kind: kind, bound: bound), in: transaction,
                where: { !unreadable.contains(.expiring($0)) }, onUnreadable: unreadable.rowFault(of: "expiry"))
            for (item, time) in due {
                step = .expiring(item)
                rest -= try remove(item, from: time, now: now, limit: rest, in: &transaction)
                if rest <= 0 { return true }
            }
        }
        step = .step("events")
        if let bound = now.earlier(byMilliseconds: retention.eventMilliseconds), !unreadable.contains(step) {
            rest -= try events.removeOld(before: bound, limit: rest, in: &transaction)
        }
        step = .step("subscribers")
        if rest > 0, let bound = now.earlier(byMilliseconds: retention.subscriberMilliseconds),
            !unreadable.contains(step)
        {
            rest -= try removeSubscribers(unusedSince: bound, in: &transaction)
        }
        step = .step("silent pushes")
        if rest > 0, !unreadable.contains(step) {
            rest -= try removeOldSilentPushes(now: now, limit: rest, in: &transaction)
        }
        return rest <= 0
    }

    /// Removes an item and its row in `expiry`; at most `limit` rows of a message. Returns the number of rows.
    private func remove(
        _ item: Expiring,
        from time: Timestamp,
        now: Timestamp,
        limit: Int,
        in transaction: inout WriteTransaction
    ) throws -> Int {
        switch item {
        case .tombstone(let app, let address):
            try tables.expiry.delete(item, from: time, in: &transaction)
            try tables.tombstones.delete(address, app: app, in: &transaction)
            let digest = tables.digest(of: address, app: app)
            guard case .tombstone = try tokenIndex.row(of: digest, app: app, in: transaction) else { return 2 }
            try tokenIndex.delete(digest, app: app, in: &transaction)
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
            // Removes the row in `expiry` as well.
            try remove(device, app: app, in: &transaction)
            let scope = ChangeScope(app: app, now: now)
            try writeTombstone(
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
        // The row in `expiry` stays until all pages are removed: the next sweep continues here.
        guard try tables.outcomes.nextPage(id, from: 0, in: transaction) == nil,
            try tables.receipts.first(id, in: transaction) == nil, try tables.attempts.first(id, in: transaction) == nil
        else { return rows }
        try tables.expiry.delete(.message(id), from: time, in: &transaction)
        return rows + 1
    }
}
