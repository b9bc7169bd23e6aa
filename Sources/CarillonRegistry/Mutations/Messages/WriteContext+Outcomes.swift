import CarillonCore
import CarillonLMDB

/// The outcomes of a page, and the end of a message.
extension WriteContext {
    /// Stores outcomes, delays and attempts of one page: the first outcome of each recipient stays.
    ///
    /// The first record of a page of a live audience fixes which devices the page addresses. A report of a provider
    /// about a token is applied even if the recipient has an outcome already, unless the device has registered since.
    func recordOutcomes(
        _ record: OutcomeRecord,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        let (message, page) = (record.message, record.page)
        guard var progress = try tables.progress.get(message, in: transaction), progress.outboxState != .scheduled,
            var recorded = try recordedPage(record, progress: progress, in: transaction),
            record.entries.allSatisfy({ recorded.outcomes.addresses($0.position) }),
            record.delays.allSatisfy({ recorded.outcomes.addresses($0.position) }),
            record.attempts.allSatisfy({ recorded.outcomes.addresses($0.position) })
        else { return .refused(.notFound) }

        let isNew = recorded.outcomes.isNew
        let scope = ChangeScope(app: progress.app, now: now)
        try applyTokenReports(of: record, devices: &recorded.devices, scope: scope, in: &transaction)
        if isNew { progress.counts.add(Outcome.pending.rawValue, count: recorded.outcomes.count) }
        let ended = try apply(record, to: &recorded, progress: &progress, now: now, in: &transaction)
        try storeDelays(of: record, outcomes: recorded.outcomes, in: &transaction)
        try tables.attempts.append(record.attempts, of: message, page: page, in: &transaction)
        if !ended.failures.isEmpty {
            let app = try ids.name(of: progress.app, in: transaction)
            try events.appendFailures(ended.failures, of: message, app: app, at: now, in: &transaction)
        }
        if record.floor > progress.floor {
            progress.floor = record.floor
        } else if !isNew && ended.count == 0 {
            return .recorded(isFinished: false)
        }

        let finishes = !progress.isLive && !progress.isFinished && progress.counts[.pending] == 0
        if finishes { try finish(message, progress: &progress, now: now, in: &transaction) }
        try storePage(recorded.outcomes, progress: progress, of: record, in: &transaction)
        return .recorded(isFinished: finishes)
    }

    /// The recipients that one record ends.
    private struct EndedRecipients {
        var delivered: UInt64 = 0
        /// The devices and outcomes of deliveries that failed, in the order of the record; the device is nil if the
        /// token was not registered.
        var failures: [(device: DeviceID?, outcome: Outcome)] = []

        var count: UInt64 { delivered + UInt64(failures.count) }
    }

    /// Sets the outcomes of the entries whose recipients are pending, counts them, and deletes their delays.
    private func apply(
        _ record: OutcomeRecord,
        to recorded: inout RecordedPage,
        progress: inout MessageProgress,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> EndedRecipients {
        var ended = EndedRecipients()
        let mayHaveDelays = try tables.delays.contains(record.message, page: record.page, in: transaction)
        for entry in record.entries where entry.outcome != .pending && recorded.outcomes.isPending(entry.position) {
            recorded.outcomes.set(entry.outcome, at: entry.position)
            if entry.outcome == .delivered {
                ended.delivered += 1
                if progress.pushType == .background,
                    let device = try recorded.devices.device(at: entry.position, in: transaction)
                {
                    try recordSilentPush(device, app: progress.app, at: now, in: &transaction)
                }
            } else {
                let device = try recorded.devices.device(at: entry.position, in: transaction)
                ended.failures.append((device, entry.outcome))
            }
            if mayHaveDelays {
                try tables.delays.delete(record.key(of: entry.position), in: &transaction)
            }
        }
        guard progress.counts.remove(Outcome.pending.rawValue, count: ended.count) else {
            throw RegistryError.corrupted("progress: fewer pending than outcomes say")
        }
        if ended.delivered > 0 { progress.counts.add(Outcome.delivered.rawValue, count: ended.delivered) }
        for failure in ended.failures { progress.counts.add(failure.outcome.rawValue) }
        return ended
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
        _ outcomes: PageOutcomes,
        progress: MessageProgress,
        of record: OutcomeRecord,
        in transaction: inout WriteTransaction
    ) throws {
        if let addressed = outcomes.addressed {
            let live = LiveOutcomes(addressed: addressed, byOffset: outcomes.bytes)
            try tables.outcomes.put(live, for: record.message, page: record.page, in: &transaction)
        } else {
            try tables.outcomes.put(outcomes.bytes.span, for: record.message, page: record.page, in: &transaction)
        }
        try tables.progress.put(progress, for: record.message, in: &transaction)
    }

    /// Finishes a message to a live audience of which the engine has read every page, if no recipient is pending.
    func finishLiveMessage(
        _ message: MessageID, now: Timestamp, in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard var progress = try tables.progress.get(message, in: transaction) else { return .refused(.notFound) }
        let isTaken = progress.isLive && progress.outboxState != .scheduled
        if isTaken && !progress.isFinished && progress.counts[.pending] == 0 {
            try finish(message, progress: &progress, now: now, in: &transaction)
            try tables.progress.put(progress, for: message, in: &transaction)
        }
        return .finished(isFinished: progress.isFinished)
    }

    /// Finishes a message of which every recipient has an outcome.
    func finish(
        _ message: MessageID,
        progress: inout MessageProgress,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws {
        try removeFromQueue(message, progress: progress, in: &transaction)
        try closeClaims(of: message, in: &transaction)
        progress.outboxState = .active
        // The time as it is stored: `ProgressTable` has no time of zero.
        let finishedAt = max(now, Timestamp(milliseconds: 1))
        progress.finishedAt = finishedAt
        try tables.expiry.insert(.message(message), from: finishedAt, in: &transaction)
        let event = Event(
            at: now, kind: .messageFinished, app: try ids.name(of: progress.app, in: transaction), message: message,
            count: progress.counts.total)
        try events.append(event, in: &transaction)
    }

    // MARK: A page

    /// A page of which outcomes are recorded.
    private struct RecordedPage {
        var outcomes: PageOutcomes
        var devices: PageDevices
    }

    /// Returns the page of a record; nil if the message has no such page.
    private func recordedPage(
        _ record: OutcomeRecord, progress: MessageProgress, in transaction: borrowing WriteTransaction
    ) throws -> RecordedPage? {
        try outcomes(of: record, progress: progress, in: transaction).map {
            RecordedPage(outcomes: $0, devices: PageDevices(record, isLive: progress.isLive, tables: tables))
        }
    }

    /// The outcomes of a page, of a list or of a live audience.
    private struct PageOutcomes {
        /// The outcomes by position, or by offset in the chunk.
        private(set) var bytes: [UInt8]
        /// The recipients of a page of a live audience; nil for a list.
        let addressed: ChunkBits?
        /// The recipients of ``addressed`` as bytes, which are looked at for each entry; empty for a list.
        private let bitmap: [UInt8]
        /// True if the page is fixed with this record.
        let isNew: Bool

        /// Takes the outcomes of a page of a list.
        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            addressed = nil
            bitmap = []
            isNew = false
        }

        /// Takes the outcomes of a page of a live audience.
        init(_ outcomes: LiveOutcomes, isNew: Bool) {
            bytes = outcomes.byOffset
            addressed = outcomes.addressed
            bitmap = outcomes.addressed.bitmap
            self.isNew = isNew
        }

        /// The number of recipients of a new page.
        var count: UInt64 { UInt64(addressed?.count ?? 0) }

        func addresses(_ position: UInt16) -> Bool {
            guard Int(position) < bytes.count else { return false }
            return bitmap.isEmpty || bitmap[Int(position >> 3)] & 1 << UInt8(position & 7) != 0
        }

        func isPending(_ position: UInt16) -> Bool { bytes[Int(position)] == Outcome.pending.rawValue }

        mutating func set(_ outcome: Outcome, at position: UInt16) { bytes[Int(position)] = outcome.rawValue }
    }

    private func outcomes(
        of record: OutcomeRecord, progress: MessageProgress, in transaction: borrowing WriteTransaction
    ) throws -> PageOutcomes? {
        let (message, page) = (record.message, record.page)
        guard progress.isLive else {
            return try tables.outcomes.get(message, page: page, in: transaction).map { PageOutcomes($0) }
        }
        if let outcomes = try tables.outcomes.getLive(message, page: page, in: transaction) {
            return PageOutcomes(outcomes, isNew: false)
        }
        guard !progress.isFinished, let bits = record.addressed?.bits, !bits.isEmpty else { return nil }
        guard let live = try tables.messages.get(message, in: transaction)?.live else {
            throw RegistryError.corrupted("messages: an audience is missing")
        }
        var addressed = bits
        live.restrict(&addressed, in: page)
        guard UInt64(page) < live.chunks, addressed == bits else { return nil }
        return PageOutcomes(LiveOutcomes(pending: bits), isNew: true)
    }

    // MARK: Reports of providers about tokens

    /// The devices of a page, which are read at the first use.
    private struct PageDevices {
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

        /// Returns the device at a position that has an outcome; nil if the message named a token that was not
        /// registered.
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

    private func applyTokenReports(
        of record: OutcomeRecord,
        devices: inout PageDevices,
        scope: ChangeScope,
        in transaction: inout WriteTransaction
    ) throws {
        for entry in record.entries where entry.death != nil || entry.movedTo != nil {
            guard let id = try devices.device(at: entry.position, in: transaction),
                let device = try tables.devices.get(id, app: scope.app, in: transaction), device.state == .active
            else { continue }
            if let death = entry.death {
                guard device.registeredAt == death.registeredAt, death.since >= device.registeredAt else { continue }
                try quarantine(device, for: entry.outcome, scope: scope, in: &transaction)
            } else if let environment = entry.movedTo, environment != device.address.environment,
                device.registeredAt == entry.registeredAt
            {
                try moveDevice(device, to: environment, scope: scope, in: &transaction)
            }
        }
    }

    /// Moves a device to the other environment, because APNs has accepted its token there.
    ///
    /// If another device is registered there with the token, this is the same device a second time: it is quarantined.
    /// If the token was unregistered there since, the device stays where it is.
    private func moveDevice(
        _ device: Device,
        to environment: APNsEnvironment,
        scope: ChangeScope,
        in transaction: inout WriteTransaction
    ) throws {
        let app = scope.app
        var moved = device
        moved.address.environment = environment
        let digest = tables.digest(of: moved.address, app: app)
        let state = try tokenIndex.state(of: moved.address, digest: digest, app: app, in: transaction)
        switch state {
        case .device: return try quarantine(device, for: .badToken, scope: scope, in: &transaction)
        case .tombstone(let tombstone) where tombstone.at >= device.seenAt: return
        case .tombstone, nil: break
        }
        try deleteTombstone(state, at: moved.address, app: app, in: &transaction)
        try tokenIndex.delete(tables.digest(of: device.address, app: app), app: app, in: &transaction)
        try tokenIndex.put(.device(device.id), at: digest, app: app, in: &transaction)
        try tables.devices.put(moved, app: app, in: &transaction)
        try updateDerivedSets(from: device, to: moved, app: app, in: &transaction)
        let event = Event(
            at: scope.now, kind: .deviceMoved, app: try ids.name(of: app, in: transaction), device: device.id)
        try events.append(event, in: &transaction)
    }
}

extension OutcomeRecord {
    /// Returns the key of a recipient of the page.
    fileprivate func key(of position: UInt16) -> RecipientKey {
        RecipientKey(message: message, page: page, position: position)
    }
}
