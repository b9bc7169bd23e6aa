import CarillonCore
import CarillonLMDB

/// Checks the quarantine, silent pushes, push subscriptions, receipts, attempts and events.
extension Verifier {
    /// Checks the list of quarantined devices, and silent pushes.
    mutating func checkQuarantine(in transaction: borrowing some Transaction & ~Copyable) throws {
        try tables.devices.forEach(in: transaction) { app, device in
            guard device.state == .quarantined else { return }
            if try tables.quarantine.get(device.id, app: app, in: transaction) == nil {
                findings.append(.quarantineDiffers(app: app, device.id))
            }
        }
        try tables.quarantine.forEach(in: transaction) { app, id, since in
            let isQuarantined = try tables.devices.get(id, app: app, in: transaction)?.state == .quarantined
            let willExpire = try tables.expiry.contains(.quarantined(app, id), from: since, in: transaction)
            if !isQuarantined || !willExpire { findings.append(.quarantineDiffers(app: app, id)) }
        }
        _ = try tables.silentPushes.forEach(in: transaction) { app, id, _ in
            if try tables.devices.get(id, app: app, in: transaction) == nil {
                findings.append(.silentWithoutDevice(app: app, id))
            }
        }
    }

    /// Checks push subscriptions: each is of a registered browser.
    mutating func checkBrowsers(in transaction: borrowing some Transaction & ~Copyable) throws {
        try tables.browsers.forEach(in: transaction) { app, id, _ in
            if try tables.devices.get(id, app: app, in: transaction)?.address.kind != .web {
                findings.append(.subscriptionWithoutBrowser(app: app, id))
            }
        }
    }

    /// Checks receipts against recipients and counts.
    mutating func checkReceipts(in transaction: borrowing some Transaction & ~Copyable) throws {
        let leaving = try messagesBeingRemoved(in: transaction)
        var counts: [MessageID: [ReceiptKind: UInt64]] = [:]
        var search: (message: MessageID, recipients: RecipientSearch)?
        try tables.receipts.forEach(in: transaction) { rowKey, bits in
            if leaving.contains(rowKey.message) { return }
            if search?.message != rowKey.message {
                let progress = try tables.progress.get(rowKey.message, in: transaction)
                search = progress.map { (rowKey.message, RecipientSearch(tables: tables, progress: $0)) }
            }
            counts[rowKey.message, default: [:]][rowKey.kind, default: 0] += UInt64(bits.count)
            for offset in bits {
                let id = DeviceID(chunk: rowKey.chunk, offset: offset)
                if try search?.recipients.contains(id, of: rowKey.message, in: transaction) != true {
                    findings.append(.orphanedReceipt(rowKey.message, id))
                }
            }
        }
        try tables.progress.forEach(in: transaction) { id, progress in
            let received = counts[id]?[.received] ?? 0
            let opened = counts[id]?[.opened] ?? 0
            if received != progress.receivedCount || opened != progress.openedCount {
                findings.append(.receiptsDiffer(id))
            }
        }
    }

    /// Checks that attempts belong to recipients.
    mutating func checkAttempts(in transaction: borrowing some Transaction & ~Copyable) throws {
        let leaving = try messagesBeingRemoved(in: transaction)
        try tables.attempts.forEach(in: transaction) { recipient, _ in
            if leaving.contains(recipient.message) { return }
            let isRecipient = try tables.progress.get(recipient.message, in: transaction).flatMap { progress in
                progress.isLive
                    ? try tables.outcomes.getLive(recipient.message, page: recipient.page, in: transaction)
                        .map { $0.addressed.contains(recipient.position) }
                    : try tables.outcomes.get(recipient.message, page: recipient.page, in: transaction)
                        .map { Int(recipient.position) < $0.count }
            }
            if isRecipient != true {
                findings.append(.orphanedAttempt(recipient.message, page: recipient.page, position: recipient.position))
            }
        }
    }

    /// Checks that no event is missing, and that no subscriber is ahead of the events.
    mutating func checkEvents(in transaction: borrowing some Transaction & ~Copyable) throws {
        let last = try tables.meta.lastEvent(in: transaction)
        var previous: UInt64?
        _ = try tables.events.forEach(after: 0, in: transaction) { event in
            let isNext = previous.map { event.sequence == $0 + 1 } ?? true
            if !isNext || event.sequence > last { findings.append(.eventOutOfOrder(event.sequence)) }
            previous = event.sequence
            return .proceed
        }
        // Only the oldest events are removed.
        if let previous, previous < last { findings.append(.eventOutOfOrder(last)) }
        try tables.subscribers.forEach(in: transaction) { subscriber, record in
            if record.acknowledgedSequence > last {
                findings.append(.subscriberAhead(principal: subscriber.principal, name: subscriber.name))
            }
        }
    }
}
