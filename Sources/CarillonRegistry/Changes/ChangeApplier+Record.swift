import CarillonCore
import CarillonLMDB

extension ChangeApplier {
    /// Outcomes and delays of one page: the first outcome of each recipient stays.
    ///
    /// The first record of a page of a live audience fixes whom the page addresses. What APNs said of a token is believed also
    /// where the recipient has an outcome already, if the device has not registered since.
    func record(
        _ record: OutcomeRecord,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        let (message, page) = (record.message, record.page)
        guard var progress = try layout.progress.get(transaction, message),
            var outcomes = try outcomes(of: record, progress, transaction),
            record.entries.allSatisfy({ outcomes.addresses($0.position) }),
            record.delays.allSatisfy({ outcomes.addresses($0.position) })
        else { return .refused(.notFound) }

        try learn(record, isLive: progress.isLive, app: progress.app, in: &transaction)
        if outcomes.isNew { progress.counts.add(Outcome.pending.rawValue, count: outcomes.count) }
        var hasChanged = outcomes.isNew
        let mayHaveDelays = try layout.delays.contains(transaction, message, page)
        for entry in record.entries where entry.outcome != .pending && outcomes.isPending(entry.position) {
            guard progress.counts.remove(Outcome.pending.rawValue) else {
                throw RegistryError.corrupted("progress: fewer pending than outcomes say")
            }
            outcomes.set(entry.outcome, at: entry.position)
            progress.counts.add(entry.outcome.rawValue)
            if mayHaveDelays { try layout.delays.delete(&transaction, message, page, entry.position) }
            hasChanged = true
        }
        for delay in record.delays where outcomes.isPending(delay.position) {
            let row = DelayRecord(attempts: delay.attempts, dueAt: delay.dueAt)
            try layout.delays.put(&transaction, message, page, delay.position, row)
        }
        if record.floor > progress.floor {
            progress.floor = record.floor
        } else if !hasChanged {
            return .recorded(isFinished: false)
        }

        let finishes = !progress.isLive && !progress.isFinished && progress.counts[.pending] == 0
        if finishes { try finish(message, &progress, now: now, in: &transaction) }
        switch outcomes {
        case .list(let outcomes): try layout.outcomes.put(&transaction, message, page: page, outcomes.span)
        case .live(let outcomes, _): try layout.outcomes.put(&transaction, message, page: page, outcomes)
        }
        try layout.progress.put(&transaction, message, progress)
        return .recorded(isFinished: finishes)
    }

    /// The engine has read every page of a message to the end: a live one is finished if nobody is pending.
    func finish(_ message: MessageID, now: Timestamp, in transaction: inout WriteTransaction) throws -> ChangeAnswer {
        guard var progress = try layout.progress.get(transaction, message) else { return .refused(.notFound) }
        if progress.isLive && !progress.isFinished && progress.counts[.pending] == 0 {
            try finish(message, &progress, now: now, in: &transaction)
            try layout.progress.put(&transaction, message, progress)
        }
        return .finished(progress.isFinished)
    }

    private func finish(
        _ message: MessageID,
        _ progress: inout Progress,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws {
        progress.finishedAt = max(now, Timestamp(milliseconds: 1))
        try layout.outbox.delete(&transaction, progress.queue, message)
        try layout.expiry.insert(&transaction, .message(message), from: progress.finishedAt)
    }

    // MARK: A page

    /// The outcomes of a page of either form.
    private enum PageOutcomes {
        /// By position.
        case list([UInt8])
        /// By offset in the chunk; `isNew` if the page is fixed with this record.
        case live(LiveOutcomes, isNew: Bool)

        var isNew: Bool { if case .live(_, let isNew) = self { isNew } else { false } }

        /// Recipients of a new page.
        var count: UInt64 { if case .live(let outcomes, _) = self { UInt64(outcomes.addressed.count) } else { 0 } }

        func addresses(_ position: UInt16) -> Bool {
            switch self {
            case .list(let outcomes): Int(position) < outcomes.count
            case .live(let outcomes, _): outcomes.addressed.contains(position)
            }
        }

        func isPending(_ position: UInt16) -> Bool {
            switch self {
            case .list(let outcomes): outcomes[Int(position)] == Outcome.pending.rawValue
            case .live(let outcomes, _): outcomes[position] == Outcome.pending.rawValue
            }
        }

        mutating func set(_ outcome: Outcome, at position: UInt16) {
            switch self {
            case .list(var outcomes):
                self = .list([])
                outcomes[Int(position)] = outcome.rawValue
                self = .list(outcomes)
            case .live(var outcomes, let isNew):
                self = .list([])
                outcomes[position] = outcome.rawValue
                self = .live(outcomes, isNew: isNew)
            }
        }
    }

    private func outcomes(
        of record: OutcomeRecord,
        _ progress: Progress,
        _ transaction: borrowing WriteTransaction
    ) throws -> PageOutcomes? {
        let (message, page) = (record.message, record.page)
        guard progress.isLive else {
            return try layout.outcomes.get(transaction, message, page: page).map { .list($0) }
        }
        if let outcomes = try layout.outcomes.getLive(transaction, message, page: page) {
            return .live(outcomes, isNew: false)
        }
        guard !progress.isFinished, let bits = record.addressed?.bits, !bits.isEmpty else { return nil }
        guard let live = try layout.messages.get(transaction, message)?.live else {
            throw RegistryError.corrupted("messages: an audience is missing")
        }
        var addressed = bits
        live.restrict(&addressed, in: page)
        guard UInt64(page) < live.chunks, addressed == bits else { return nil }
        return .live(LiveOutcomes(pending: bits), isNew: true)
    }

    // MARK: What APNs said of tokens

    private func learn(
        _ record: OutcomeRecord,
        isLive: Bool,
        app: AppNumber,
        in transaction: inout WriteTransaction
    ) throws {
        let telling = record.entries.filter { $0.death != nil || $0.movedTo != nil }
        guard !telling.isEmpty else { return }
        let ids = isLive ? nil : try layout.recipients.get(transaction, record.message, page: record.page) ?? []
        for entry in telling {
            let id: DeviceID
            if let ids {
                guard Int(entry.position) < ids.count else {
                    throw RegistryError.corrupted("recipients: fewer than outcomes")
                }
                id = DeviceID(rawValue: ids[Int(entry.position)])
            } else {
                id = DeviceID(chunk: record.page, offset: entry.position)
            }
            guard let device = try layout.devices.get(transaction, app, id), device.state == .active else { continue }
            if let death = entry.death {
                guard device.registeredAt == death.registeredAt, death.since >= device.registeredAt else { continue }
                try quarantine(device, app, in: &transaction)
            } else if let environment = entry.movedTo, environment != device.address.environment {
                try move(device, to: environment, app, in: &transaction)
            }
        }
    }

    /// The token of a device was accepted in another environment than the app had said.
    ///
    /// If another device is registered there with the token, this one is the same device a second time: it is quarantined. If
    /// the token was unregistered there since, it stays where it is.
    private func move(
        _ device: Device,
        to environment: CarillonCore.Environment,
        _ app: AppNumber,
        in transaction: inout WriteTransaction
    ) throws {
        var moved = device
        moved.address.environment = environment
        let held = try layout.addresses.get(transaction, app, moved.address)
        switch held {
        case .device: return try quarantine(device, app, in: &transaction)
        case .tombstone(let tombstone) where tombstone.at >= device.seenAt: return
        case .tombstone, nil: break
        }
        try forgetTombstone(held, at: moved.address, app, in: &transaction)
        try layout.addresses.delete(&transaction, app, device.address)
        try layout.addresses.put(&transaction, app, moved.address, .device(device.id))
        try layout.devices.put(&transaction, app, moved)
        try move(device, to: moved, app, in: &transaction)
    }
}
