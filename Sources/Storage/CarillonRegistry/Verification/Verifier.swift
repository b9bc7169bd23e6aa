import CarillonCore
import CarillonLMDB

/// Verifies the stored data: reads every table from end to end, and looks up the counterparts of each row.
struct Verifier {
    let tables: Tables
    var findings: [Finding] = []
    /// The id that the next device of each app gets. An app that does not exist has none.
    private(set) var nextDevices: [AppNumber: UInt64] = [:]
    /// The number that the next set of each app gets.
    private(set) var nextSets: [AppNumber: SetNumber] = [:]

    init(tables: Tables) {
        self.tables = tables
    }

    mutating func run(in transaction: borrowing some Transaction & ~Copyable) throws {
        try tables.apps.forEach(in: transaction) {
            nextDevices[$1.number] = $1.nextDevice
            nextSets[$1.number] = $1.nextSet
        }
        try checkDevices(in: transaction)
        try checkAddresses(in: transaction)
        try checkSets(in: transaction)
        try checkPostings(in: transaction)
        try checkKeys(in: transaction)
        try checkMessages(in: transaction)
        try checkOrphans(in: transaction)
        try checkClaims(in: transaction)
        try checkExpiry(in: transaction)
        try checkQuarantine(in: transaction)
        try checkBrowsers(in: transaction)
        try checkReceipts(in: transaction)
        try checkAttempts(in: transaction)
        try checkEvents(in: transaction)
    }

    /// Checks the pages and the order of the keys of the file that the tables are in. No process may write to it.
    mutating func checkFile(of environment: LMDBEnvironment) throws {
        let account = try environment.countPages(of: tables.databases.map(\.database))
        let found = account.inTrees + account.free
        if found != account.allocated { findings.append(.pagesDiffer(used: account.allocated, found: found)) }
        try environment.read { transaction in
            for (name, database) in tables.databases where try !transaction.isInOrder(database) {
                findings.append(.tableOutOfOrder(name))
            }
        }
    }

    private mutating func checkDevices(in transaction: borrowing some Transaction & ~Copyable) throws {
        try tables.devices.forEach(in: transaction) { app, device in
            guard let next = nextDevices[app] else { return findings.append(.unknownApp(app)) }
            if !(1..<next).contains(device.id.rawValue) { findings.append(.deviceNotAssigned(app: app, device.id)) }
            let digest = tables.digest(of: device.address, app: app)
            if try tables.addresses.get(digest, app: app, in: transaction) != .device(device.id) {
                findings.append(.deviceWithoutAddress(app: app, device.id))
            }
        }
    }

    private mutating func checkAddresses(in transaction: borrowing some Transaction & ~Copyable) throws {
        // For each app: the number of addresses with a tombstone, minus the number of tombstones.
        var unregistered: [AppNumber: Int] = [:]
        try tables.addresses.forEach(in: transaction) { app, digest, entry in
            if nextDevices[app] == nil { findings.append(.unknownApp(app)) }
            switch entry {
            case .device(let id):
                let device = try tables.devices.get(id, app: app, in: transaction)
                if device.map({ tables.digest(of: $0.address, app: app) }) != digest {
                    findings.append(.addressWithoutDevice(app: app, id))
                }
            case .tombstone:
                unregistered[app, default: 0] += 1
            }
        }
        try tables.tombstones.forEach(in: transaction) { app, address, tombstone in
            if try tables.addresses.get(tables.digest(of: address, app: app), app: app, in: transaction) == .tombstone {
                unregistered[app, default: 0] -= 1
            } else {
                findings.append(.orphanedTombstone(app: app, address))
            }
            if try !tables.expiry.contains(.tombstone(app, address), from: tombstone.writtenAt, in: transaction) {
                findings.append(.tombstoneWithoutExpiry(app: app, address))
            }
        }
        for app in unregistered.keys.sorted() where unregistered[app] != 0 {
            findings.append(.tombstonesDiffer(app: app))
        }
    }

    private mutating func checkKeys(in transaction: borrowing some Transaction & ~Copyable) throws {
        try tables.idempotency.forEach(in: transaction) { app, key, record in
            if nextDevices[app] == nil { findings.append(.unknownApp(app)) }
            if try !tables.expiry.contains(.idempotencyKey(app, key), from: record.acceptedAt, in: transaction) {
                findings.append(.keyWithoutExpiry(app: app, key))
            }
        }
    }

    private mutating func checkMessages(in transaction: borrowing some Transaction & ~Copyable) throws {
        let last = try tables.meta.lastMessage(in: transaction)
        try tables.progress.forEach(in: transaction) { id, progress in
            if nextDevices[progress.app] == nil { findings.append(.unknownApp(progress.app)) }
            if !(1...max(1, last)).contains(id.rawValue) { findings.append(.messageNotAssigned(id)) }
            let record = try tables.messages.get(id, in: transaction)
            if record == nil { findings.append(.contentDiffers(id)) }
            if let record, (record.live != nil) != progress.isLive { findings.append(.audienceDiffers(id)) }
            let counts =
                progress.isLive
                ? try countLiveOutcomes(
                    of: id, live: record?.live, firstPendingPage: progress.firstPendingPage, in: transaction)
                : try countOutcomes(
                    of: id, pages: progress.pageCount, firstPendingPage: progress.firstPendingPage, in: transaction)
            if counts != progress.counts { findings.append(.countsDiffer(id)) }
            // A live audience may have further pages: only the delivery engine knows when the message has finished.
            let hasPending = counts[.pending] > 0
            let isUnfinished = hasPending || (progress.isLive && !progress.isFinished)
            let isInOutbox = try tables.outbox.contains(id, queue: progress.queue, in: transaction)
            let belongsInOutbox = isUnfinished && progress.hold == .none
            let isMarkedWrongly = progress.isFinished == isUnfinished
            if isInOutbox != belongsInOutbox || isMarkedWrongly { findings.append(.outboxDiffers(id)) }
            try checkScheduleAndListing(of: id, progress: progress, in: transaction)
            if let finishedAt = progress.finishedAt,
                try !tables.expiry.contains(.message(id), from: finishedAt, in: transaction)
            {
                findings.append(.messageWithoutExpiry(id))
            }
        }
    }

    private mutating func checkScheduleAndListing(
        of id: MessageID, progress: MessageProgress, in transaction: borrowing some Transaction & ~Copyable
    ) throws {
        let isScheduled = progress.hold == .scheduled
        let isInSchedule = try tables.schedule.contains(id, due: progress.sendAt ?? .zero, in: transaction)
        let isMisplaced = isInSchedule != isScheduled
        let isScheduledAndSendable = isScheduled && progress.sendableSince != nil
        let isFinishedAndHeld = progress.isFinished && progress.hold != .none
        if isMisplaced || isScheduledAndSendable || isFinishedAndHeld { findings.append(.scheduleDiffers(id)) }
        if try !tables.appMessages.contains(id, app: progress.app, in: transaction) {
            findings.append(.listingDiffers(app: progress.app, id))
        }
    }

    private mutating func countOutcomes(
        of message: MessageID, pages: UInt32, firstPendingPage: UInt32,
        in transaction: borrowing some Transaction & ~Copyable
    ) throws -> OutcomeCounts {
        var counts = OutcomeCounts()
        for page in 0..<pages {
            let ids = try tables.recipients.get(message, page: page, in: transaction)
            guard let outcomes = try tables.outcomes.get(message, page: page, in: transaction),
                ids?.count == outcomes.count
            else {
                findings.append(.pageDiffers(message, page: page))
                // One missing page says enough, whatever number of pages the record claims.
                break
            }
            if page < firstPendingPage, outcomes.contains(Outcome.pending.rawValue) {
                findings.append(.pendingInFinishedPage(message, page: page))
            }
            for outcome in outcomes { counts.add(outcome) }
        }
        return counts
    }

    private mutating func countLiveOutcomes(
        of message: MessageID,
        live: LiveAudience?,
        firstPendingPage: UInt32,
        in transaction: borrowing some Transaction & ~Copyable
    ) throws -> OutcomeCounts {
        var counts = OutcomeCounts()
        try tables.outcomes.forEachLive(message, in: transaction) { page, outcomes in
            var allowed = outcomes.addressed
            live?.restrict(&allowed, in: page)
            if allowed != outcomes.addressed || live.map({ UInt64(page) >= $0.chunkCount }) ?? true {
                findings.append(.pageDiffers(message, page: page))
            }
            if page < firstPendingPage, !outcomes.pending.isEmpty {
                findings.append(.pendingInFinishedPage(message, page: page))
            }
            for offset in outcomes.addressed { counts.add(outcomes[offset]) }
            return .proceed
        }
        return counts
    }

    /// Checks rows of messages that do not exist.
    private mutating func checkOrphans(in transaction: borrowing some Transaction & ~Copyable) throws {
        let leaving = try messagesBeingRemoved(in: transaction)
        try tables.messages.forEach(in: transaction) { id, _ in
            if try tables.progress.get(id, in: transaction) == nil { findings.append(.contentDiffers(id)) }
        }
        try tables.messageMetadata.forEach(in: transaction) { id, _ in
            if try tables.progress.get(id, in: transaction) == nil { findings.append(.orphanedMetadata(id)) }
        }
        try tables.recipients.forEach(in: transaction) { id, page, _ in
            if leaving.contains(id) { return }
            let progress = try tables.progress.get(id, in: transaction)
            if progress.map({ page >= $0.pageCount }) ?? true { findings.append(.pageDiffers(id, page: page)) }
        }
        try tables.outcomes.forEach(in: transaction) { id, page in
            if leaving.contains(id) { return }
            let progress = try tables.progress.get(id, in: transaction)
            if progress.map({ !$0.isLive && page >= $0.pageCount }) ?? true {
                findings.append(.pageDiffers(id, page: page))
            }
        }
        try tables.outbox.forEach(in: transaction) { queue, id in
            if try tables.progress.get(id, in: transaction)?.queue != queue { findings.append(.outboxDiffers(id)) }
        }
        try tables.schedule.forEach(in: transaction) { due, id in
            let progress = try tables.progress.get(id, in: transaction)
            if progress?.sendAt != due || progress?.hold != .scheduled { findings.append(.scheduleDiffers(id)) }
        }
        try tables.appMessages.forEach(in: transaction) { app, id in
            if try tables.progress.get(id, in: transaction)?.app != app {
                findings.append(.listingDiffers(app: app, id))
            }
        }
        try tables.delays.forEach(in: transaction) { recipient in
            if try !isPending(recipient, in: transaction) {
                findings.append(.orphanedDelay(recipient.message, page: recipient.page, position: recipient.position))
            }
        }
    }

    private mutating func checkClaims(in transaction: borrowing some Transaction & ~Copyable) throws {
        guard let claims = tables.claims else { return }
        try claims.forEach(in: transaction) { id, _ in
            if try tables.progress.get(id, in: transaction)?.isFinished ?? true { findings.append(.orphanedClaims(id)) }
        }
        try claims.forEachSilentPushClaim(in: transaction) { app in
            if try tables.apps.get(app, in: transaction) == nil { findings.append(.orphanedSilentClaim(app)) }
        }
    }

    private func isPending(
        _ recipient: RecipientKey, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> Bool {
        guard let progress = try tables.progress.get(recipient.message, in: transaction) else { return false }
        if progress.isLive {
            let outcomes = try tables.outcomes.getLive(recipient.message, page: recipient.page, in: transaction)
            return outcomes?.pending.contains(recipient.position) ?? false
        }
        let outcomes = try tables.outcomes.get(recipient.message, page: recipient.page, in: transaction) ?? []
        let position = Int(recipient.position)
        return position < outcomes.count && outcomes[position] == Outcome.pending.rawValue
    }

    /// Returns the messages that a sweep has begun to remove: only pages, receipts and attempts are left, and the row
    /// in `expiry` that leads to them.
    func messagesBeingRemoved(in transaction: borrowing some Transaction & ~Copyable) throws -> Set<MessageID> {
        var leaving: Set<MessageID> = []
        try tables.expiry.forEach(in: transaction) { item, _ in
            guard case .message(let id) = item, try tables.progress.get(id, in: transaction) == nil else { return }
            leaving.insert(id)
        }
        return leaving
    }

    private mutating func checkExpiry(in transaction: borrowing some Transaction & ~Copyable) throws {
        try tables.expiry.forEach(in: transaction) { item, time in
            let exists: Bool
            switch item {
            case .tombstone(let app, let address):
                exists = try tables.tombstones.get(address, app: app, in: transaction)?.writtenAt == time
            case .idempotencyKey(let app, let key):
                exists = try tables.idempotency.get(key, app: app, in: transaction)?.acceptedAt == time
            case .message(let id):
                let progress = try tables.progress.get(id, in: transaction)
                exists =
                    try progress.map { $0.finishedAt == time }
                    ?? (tables.outcomes.nextPage(id, from: 0, in: transaction) != nil
                        || tables.receipts.first(id, in: transaction) != nil
                        || tables.attempts.first(id, in: transaction) != nil)
            case .quarantined(let app, let id):
                exists = try tables.quarantine.get(id, app: app, in: transaction) == time
            }
            if !exists { findings.append(.expiryOfNothing(kind: item.kind.rawValue, at: time)) }
        }
    }
}
