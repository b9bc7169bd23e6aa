import CarillonCore
import CarillonLMDB

/// Applies the outcomes of a page, which the delivery engine records.
final class OutcomeApplier {
    private let context: WriteContext
    private let tables: Tables
    private let tokenReports: TokenReportApplier

    init(_ context: WriteContext) {
        self.context = context
        tables = context.tables
        tokenReports = TokenReportApplier(context)
    }

    /// Stores outcomes, delays and attempts of one page: the first outcome of each recipient stays.
    ///
    /// The first record of a page of a live audience fixes which devices the page addresses. A report of a provider
    /// about a token is applied even if the recipient has an outcome already, unless the device has registered since.
    func record(
        _ record: OutcomeRecord,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        let message = record.message
        let page = record.page
        guard var progress = try tables.progress.get(message, in: transaction), progress.hold != .scheduled,
            var outcomes = try PageOutcomes.read(for: record, progress: progress, tables: tables, in: transaction),
            outcomes.hasAllRecipients(of: record)
        else { return .refused(.notFound) }

        var devices = PageDevices(record, isLive: progress.isLive, tables: tables)
        let isNew = outcomes.isNew
        let scope = ChangeScope(app: progress.app, now: now)
        try tokenReports.apply(of: record, devices: &devices, scope: scope, in: &transaction)
        if isNew { progress.counts.add(Outcome.pending.rawValue, count: outcomes.newRecipientCount) }
        let ended = try endRecipients(
            of: record, outcomes: &outcomes, devices: &devices, progress: &progress, now: now, in: &transaction)
        try storeDelays(of: record, outcomes: outcomes, in: &transaction)
        try tables.attempts.append(record.attempts, of: message, page: page, in: &transaction)
        if !ended.failures.isEmpty {
            let app = try context.ids.name(of: progress.app, in: transaction)
            try context.events.appendFailures(ended.failures, of: message, app: app, at: now, in: &transaction)
        }
        if record.firstPendingPage > progress.firstPendingPage {
            progress.firstPendingPage = record.firstPendingPage
        } else if !isNew && ended.count == 0 {
            return .outcomesRecorded(isFinished: false)
        }

        try storePage(outcomes, of: record, in: &transaction)
        guard !progress.isLive, !progress.isFinished, progress.counts[.pending] == 0 else {
            try tables.progress.put(progress, for: message, in: &transaction)
            return .outcomesRecorded(isFinished: false)
        }
        try context.outbox.finish(message, progress: &progress, now: now, in: &transaction)
        return .outcomesRecorded(isFinished: true)
    }

    /// The recipients that one record ends.
    private struct EndedRecipients {
        var delivered: UInt64 = 0
        /// The devices and outcomes of deliveries that failed, in the order of the record; the device is nil if the
        /// token was not registered.
        var failures: [(device: DeviceID?, outcome: Outcome)] = []

        var count: UInt64 { delivered + UInt64(failures.count) }
    }

    /// Sets the outcomes of the recipients that are pending, counts them, and deletes their delays.
    ///
    /// - Parameter devices: the devices of the page, which are read when they are needed.
    private func endRecipients(
        of record: OutcomeRecord,
        outcomes: inout PageOutcomes,
        devices: inout PageDevices,
        progress: inout MessageProgress,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> EndedRecipients {
        var ended = EndedRecipients()
        let mayHaveDelays = try tables.delays.contains(record.message, page: record.page, in: transaction)
        for recipient in record.endedRecipients
        where recipient.outcome != .pending && outcomes.isPending(recipient.position) {
            outcomes.set(recipient.outcome, at: recipient.position)
            if recipient.outcome == .delivered {
                ended.delivered += 1
                if progress.pushType == .background,
                    let device = try devices.device(at: recipient.position, in: transaction)
                {
                    try recordSilentPush(device, app: progress.app, at: now, in: &transaction)
                }
            } else {
                let device = try devices.device(at: recipient.position, in: transaction)
                ended.failures.append((device, recipient.outcome))
            }
            if mayHaveDelays {
                try tables.delays.delete(record.key(of: recipient.position), in: &transaction)
            }
        }
        guard progress.counts.remove(Outcome.pending.rawValue, count: ended.count) else {
            throw RegistryError.corrupted("progress: fewer pending than outcomes say")
        }
        if ended.delivered > 0 { progress.counts.add(Outcome.delivered.rawValue, count: ended.delivered) }
        for failure in ended.failures { progress.counts.add(failure.outcome.rawValue) }
        return ended
    }

    /// Records that the provider has accepted a silent push, which counts against the budget of the device.
    private func recordSilentPush(
        _ id: DeviceID, app: AppNumber, at now: Timestamp, in transaction: inout WriteTransaction
    ) throws {
        let pushes = try context.settings.get(in: transaction).silentBudget.pushes
        guard pushes > 0 else { return }
        // Nothing is counted for a device that is no longer registered.
        guard try tables.devices.visit(id, app: app, in: transaction, { _, _, _ in }) != nil else { return }
        var times = try tables.silentPushes.get(id, app: app, in: transaction)
        // The clock may have gone back; the order stays.
        times.append(max(now, times.last ?? now))
        try tables.silentPushes.put(times.suffix(pushes), for: id, app: app, in: &transaction)
    }

    /// Stores the delays of a record, but only of recipients that are still pending.
    private func storeDelays(
        of record: OutcomeRecord, outcomes: PageOutcomes, in transaction: inout WriteTransaction
    ) throws {
        for delay in record.delays where outcomes.isPending(delay.position) {
            let row = DelayRecord(attempts: delay.attempts, dueAt: delay.dueAt)
            try tables.delays.put(row, for: record.key(of: delay.position), in: &transaction)
        }
    }

    private func storePage(
        _ outcomes: PageOutcomes, of record: OutcomeRecord, in transaction: inout WriteTransaction
    ) throws {
        if let addressed = outcomes.addressed {
            let live = LiveOutcomes(addressed: addressed, byOffset: outcomes.bytes)
            try tables.outcomes.put(live, for: record.message, page: record.page, in: &transaction)
        } else {
            try tables.outcomes.put(outcomes.bytes.span, for: record.message, page: record.page, in: &transaction)
        }
    }
}

/// The devices of a page, which are read at the first use.
struct PageDevices {
    private let message: MessageID
    private let page: UInt32
    private let isLive: Bool
    private let tables: Tables
    private var ids: [UInt64]?

    init(_ record: OutcomeRecord, isLive: Bool, tables: Tables) {
        message = record.message
        page = record.page
        self.isLive = isLive
        self.tables = tables
    }

    /// Returns the device of the recipient at a position; nil if the recipient is a token that was not registered, or a
    /// broadcast channel.
    mutating func device(
        at position: UInt16, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> DeviceID? {
        if isLive { return DeviceID(chunk: page, offset: position) }
        let ids = try self.ids ?? tables.recipients.get(message, page: page, in: transaction) ?? []
        self.ids = ids
        guard Int(position) < ids.count else { throw RegistryError.corrupted("recipients: fewer than outcomes") }
        return ids[Int(position)] == 0 ? nil : DeviceID(rawValue: ids[Int(position)])
    }
}

extension OutcomeRecord {
    fileprivate func key(of position: UInt16) -> RecipientKey {
        RecipientKey(message: message, page: page, position: position)
    }
}
