import CarillonCore
import CarillonLMDB

extension ChangeApplier {
    /// Outcomes of one page: the first of each recipient stays.
    ///
    /// A dead token is believed also where the recipient has an outcome already: the device is quarantined if it has not
    /// registered since.
    func record(
        _ record: OutcomeRecord,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        let (message, page) = (record.message, record.page)
        guard var progress = try layout.progress.get(transaction, message),
            var outcomes = try layout.outcomes.get(transaction, message, page: page),
            record.entries.allSatisfy({ Int($0.position) < outcomes.count })
        else { return .refused(.notFound) }

        try quarantine(record, app: progress.app, in: &transaction)
        var hasChanged = false
        for entry in record.entries where entry.outcome != .pending {
            let position = Int(entry.position)
            guard outcomes[position] == Outcome.pending.rawValue else { continue }
            guard progress.counts.remove(Outcome.pending.rawValue) else {
                throw RegistryError.corrupted("progress: fewer pending than outcomes say")
            }
            outcomes[position] = entry.outcome.rawValue
            progress.counts.add(entry.outcome.rawValue)
            hasChanged = true
        }
        guard hasChanged else { return .recorded(isFinished: false) }

        let isFinished = progress.counts[.pending] == 0
        if isFinished {
            progress.finishedAt = max(now, Timestamp(milliseconds: 1))
            try layout.outbox.delete(&transaction, message)
            try layout.expiry.insert(&transaction, .message(message), from: progress.finishedAt)
        }
        try layout.outcomes.put(&transaction, message, page: page, outcomes.span)
        try layout.progress.put(&transaction, message, progress)
        return .recorded(isFinished: isFinished)
    }

    private func quarantine(
        _ record: OutcomeRecord,
        app: AppNumber,
        in transaction: inout WriteTransaction
    ) throws {
        let dead = record.entries.filter {
            $0.death != nil && ($0.outcome == .tokenUnregistered || $0.outcome == .tokenExpired)
        }
        guard !dead.isEmpty else { return }
        guard let ids = try layout.recipients.get(transaction, record.message, page: record.page) else {
            throw RegistryError.corrupted("recipients: a page is missing")
        }
        for entry in dead {
            guard let death = entry.death else { continue }
            guard Int(entry.position) < ids.count else {
                throw RegistryError.corrupted("recipients: fewer than outcomes")
            }
            let id = DeviceID(rawValue: ids[Int(entry.position)])
            guard var device = try layout.devices.get(transaction, app, id), device.state == .active,
                device.registeredAt == death.registeredAt, death.since >= device.registeredAt
            else { continue }
            device.state = .quarantined
            try layout.devices.put(&transaction, app, device)
        }
    }
}
