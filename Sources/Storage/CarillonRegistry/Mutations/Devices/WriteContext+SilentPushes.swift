import CarillonCore
import CarillonLMDB

/// The silent pushes that count against the budget of a device.
extension WriteContext {
    /// Records that the provider has accepted a silent push to a device.
    func recordSilentPush(
        _ id: DeviceID, app: AppNumber, at now: Timestamp, in transaction: inout WriteTransaction
    ) throws {
        let pushes = try settings(in: transaction).silentBudget.pushes
        guard pushes > 0 else { return }
        // Nothing is counted for a device that is not registered any more.
        guard try tables.devices.visit(id, app: app, in: transaction, { _, _, _ in }) != nil else { return }
        var times = try tables.silentPushes.get(id, app: app, in: transaction)
        // The clock may have gone back; the order stays.
        times.append(max(now, times.last ?? now))
        try tables.silentPushes.put(times.suffix(pushes), for: id, app: app, in: &transaction)
    }

    /// Reads at most `limit` devices after the one at which the last sweep ended, and removes rows whose pushes no
    /// longer count. Returns the number of devices that were read; there are more if it is `limit`.
    func removeOldSilentPushes(now: Timestamp, limit: Int, in transaction: inout WriteTransaction) throws -> Int {
        var old: [(AppNumber, DeviceID)] = []
        var last: (AppNumber, DeviceID)?
        let budget = try settings(in: transaction).silentBudget
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
}

/// The use of a silent-push budget by the pushes of some times.
extension RegistrySettings.SilentBudget {
    func isCounted(_ time: Timestamp, at now: Timestamp) -> Bool {
        time.later(byMilliseconds: milliseconds) > now
    }

    /// Returns the time at which a device with pushes of those times, ascending, may have one more; nil if it may have
    /// it at `now`.
    func nextPushTime(after times: [Timestamp], at now: Timestamp) -> Timestamp? {
        guard pushes > 0, times.count >= pushes else { return nil }
        let oldest = times[times.count - pushes]
        return isCounted(oldest, at: now) ? oldest.later(byMilliseconds: milliseconds) : nil
    }
}
