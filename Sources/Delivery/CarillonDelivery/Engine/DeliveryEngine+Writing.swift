package import CarillonCore

/// The records of outcomes: when they are written, and what follows when they are on disk.
extension DeliveryEngine {
    /// Schedules the write of the outcomes of a page, if it has any.
    mutating func scheduleWrite(of page: borrowing CheckedOutPage, isMessageRead: Bool) {
        guard page.loaded.unwrittenCount > 0 else { return }
        let isLast = isMessageRead && page.loaded.isDoneForNow
        outcomes.scheduleWrite(
            of: page.key, isUrgent: isLast || page.properties.lane == .interactive || isStopped, within: duplicateBound,
            at: page.now)
    }

    /// Turns outcomes that are due into records.
    mutating func flushRecords() {
        guard outcomes.hasPagesDueNow else { return }
        for key in outcomes.takePagesDueNow() {
            guard let firstPendingPage = messages.firstPendingPage(of: key.message),
                let record = pages.takeRecord(of: key, firstPendingPage: firstPendingPage)
            else { continue }
            duplicateBound.beginWrite(record)
            actions.write(record)
        }
    }

    /// Called when a record is on disk.
    package mutating func recordWritten(_ record: OutcomeRecord, at now: Moment) { endWrite(of: record, at: now) }

    private mutating func endWrite(of record: OutcomeRecord, at now: Moment) {
        wakePoolsRefusedByDuplicateBound()
        duplicateBound.endWrite(record)
        withPage(PageKey(message: record.message, page: record.page), at: now) { engine, page in
            page.loaded.rowsRecorded(record.count)
            engine.messages[record.message]?.countOutcomes(record.endedRecipients.count, at: now.uptime)
            guard page.loaded.hasSilentDeliveries else { return }
            for recipient in record.endedRecipients { engine.silentPushRecorded(recipient, of: &page) }
        }
    }

    /// Ends a silent push whose outcome is on disk: from now on a read finds less room in the budget of its device.
    private mutating func silentPushRecorded(_ recipient: OutcomeRecord.EndedRecipient, of page: inout CheckedOutPage) {
        guard let device = page.loaded.takeSilentDelivery(at: recipient.position) else { return }
        let key = page.appDevice(device)
        silentPushes.end(to: key)
        // Only the pages of silent pushes have read the silent-push budgets of their devices.
        if messages.silentCount > 1 { pages.deviceChanged(key) }
    }

    /// Drops a record that was refused and never will be on disk. The recipients that are left of its page stay as the
    /// outbox has them: if the page were read again, the same recipients would be sent to again and again.
    package mutating func recordLost(_ record: OutcomeRecord, at now: Moment) {
        withPage(PageKey(message: record.message, page: record.page), at: now) { engine, page in
            engine.messages[record.message]?.recipientKeptOnDisk(in: record.page)
            page.loaded.keepOthersOnDisk()
            page.keepAllWaitingOnDisk()
        }
        endWrite(of: record, at: now)
    }

    /// Wakes all pools and writes the buffered outcomes, if the bound on duplicates may have refused work to a pool: a
    /// pool that was refused does not ask again by itself. Called before the count of the bound falls.
    mutating func wakePoolsRefusedByDuplicateBound() {
        guard duplicateBound.isBulkShareUsedUp else { return }
        actions.wake(pools.availability.routes.all)
        outcomes.flushBuffered()
    }
}
