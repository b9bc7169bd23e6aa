import CarillonCore
import CarillonLMDB

/// Quarantine, silent pushes, receipts, attempts and events.
extension Verifier {
    /// Checks the list of quarantined devices, and silent pushes.
    mutating func checkQuarantine(_ transaction: borrowing some Transaction & ~Copyable) throws {
        try layout.devices.forEach(transaction) { app, device in
            guard device.state == .quarantined else { return }
            if try layout.quarantine.get(transaction, app: app, device.id) == nil {
                findings.append(.quarantineDiffers(app: app, device.id))
            }
        }
        try layout.quarantine.forEach(transaction) { app, id, since in
            let isQuarantined = try layout.devices.get(transaction, app: app, id)?.state == .quarantined
            let isNoted = try layout.expiry.contains(transaction, .quarantined(app, id), from: since)
            if !isQuarantined || !isNoted { findings.append(.quarantineDiffers(app: app, id)) }
        }
        _ = try layout.silent.forEach(transaction) { app, id, _ in
            if try layout.devices.get(transaction, app: app, id) == nil {
                findings.append(.silentWithoutDevice(app: app, id))
            }
        }
    }

    /// Checks receipts against recipients and counts.
    mutating func checkReceipts(_ transaction: borrowing some Transaction & ~Copyable) throws {
        let leaving = try leavingMessages(transaction)
        var counts: [MessageID: [ReceiptKind: UInt64]] = [:]
        var search: (message: MessageID, recipients: RecipientSearch)?
        try layout.receipts.forEach(transaction) { place, bits in
            if leaving.contains(place.message) { return }
            if search?.message != place.message {
                let progress = try layout.progress.get(transaction, place.message)
                search = progress.map { (place.message, RecipientSearch(layout: layout, progress: $0)) }
            }
            counts[place.message, default: [:]][place.kind, default: 0] += UInt64(bits.count)
            for offset in bits {
                let id = DeviceID(chunk: place.chunk, offset: offset)
                if try search?.recipients.contains(id, of: place.message, transaction) != true {
                    findings.append(.receiptAstray(place.message, id))
                }
            }
        }
        try layout.progress.forEach(transaction) { id, progress in
            let counted = counts[id] ?? [:]
            if counted[.received] ?? 0 != progress.received || counted[.opened] ?? 0 != progress.opened {
                findings.append(.receiptsDiffer(id))
            }
        }
    }

    /// Checks that attempts belong to recipients.
    mutating func checkAttempts(_ transaction: borrowing some Transaction & ~Copyable) throws {
        let leaving = try leavingMessages(transaction)
        try layout.attempts.forEach(transaction) { place, _ in
            if leaving.contains(place.message) { return }
            let outcomes = try layout.progress.get(transaction, place.message).flatMap { progress in
                progress.isLive
                    ? try layout.outcomes.getLive(transaction, place.message, page: place.page)
                        .map { $0.addressed.contains(place.position) }
                    : try layout.outcomes.get(transaction, place.message, page: place.page)
                        .map { Int(place.position) < $0.count }
            }
            if outcomes != true {
                findings.append(.attemptAstray(place.message, page: place.page, position: place.position))
            }
        }
    }

    /// Checks that no event is missing, and how far subscribers are.
    mutating func checkEvents(_ transaction: borrowing some Transaction & ~Copyable) throws {
        let last = try layout.meta.lastEvent(transaction)
        var previous: UInt64?
        _ = try layout.events.forEach(transaction, after: 0) { event in
            let isNext = previous.map { event.sequence == $0 + 1 } ?? true
            if !isNext || event.sequence > last { findings.append(.eventAstray(event.sequence)) }
            previous = event.sequence
            return .goOn
        }
        // Only the oldest events are removed.
        if let previous, previous < last { findings.append(.eventAstray(last)) }
        try layout.subscribers.forEach(transaction) { subscriber, record in
            if record.acknowledged > last {
                findings.append(.subscriberAhead(principal: subscriber.principal, name: subscriber.name))
            }
        }
    }
}
